import { expect, it } from 'vitest';
import { oneCredential } from './presented-credential.ts';
import { RefusedCredential } from './refused-credential.ts';

function codeOf(...[presented]: Parameters<typeof oneCredential>): string {
  try {
    return `taken ${oneCredential(presented)}`;
  } catch (error) {
    if (!(error instanceof RefusedCredential)) throw error;
    expect(error.message).not.toMatch(/secret|^$/);
    expect(error.kind).toBe('none');
    return error.code;
  }
}

it.each(['Bearer secret', 'bearer secret', 'BEARER   secret'])('"%s" shows a credential', (header) => {
  expect(codeOf({ authorizations: [header] })).toBe('taken secret');
});

it.each([
  'secret',
  'Bearer',
  'Bearer ',
  'Bearersecret',
  'Bearer\tsecret',
  'Bearer secret x',
  'Bearer secret,',
  'Basic secret',
  ' Bearer secret',
  'Bearer secret ',
])('"%s" shows none', (header) => {
  expect(codeOf({ authorizations: [header] })).toBe('caller.scheme_unsupported');
});

it('there is one in one place', () => {
  expect(codeOf({ authorizations: [] })).toBe('caller.credential_missing');
  expect(codeOf({ authorizations: [], subjectToken: 'secret' })).toBe('taken secret');
  expect(codeOf({ authorizations: [], subjectToken: '' })).toBe('taken ');
  expect(codeOf({ authorizations: ['Bearer secret'], subjectToken: 'secret' })).toBe('caller.several_credentials');
  expect(codeOf({ authorizations: ['Bearer secret'], subjectToken: '' })).toBe('caller.several_credentials');
  expect(codeOf({ authorizations: ['Bearer secret', 'Bearer secret'] })).toBe('caller.several_credentials');
});
