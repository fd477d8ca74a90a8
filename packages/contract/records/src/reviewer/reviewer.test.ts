import { describe, expect, test } from 'vitest';
import type { CertificateIdentity } from '../certificate-identity/certificate-identity.ts';
import type { Statement } from '../statement/statement.ts';
import { certifiedAddress, isAgentIdentity, isSamePerson, reviewerOf, speakerOf } from './reviewer.ts';

const issuer = 'https://issuer.example';
const identity = (subject: string, claims: CertificateIdentity['claims'] = {}): CertificateIdentity => ({
  issuer,
  subject,
  claims,
  sources: {},
});
const says = (predicate: unknown) => ({ predicate }) as Statement;

describe('reviewerOf', () => {
  test.each([
    ['a reviewer', identity('reviewer:alice@example.com'), undefined, 'alice@example.com'],
    [
      'a reviewer, whatever else is claimed',
      identity('reviewer:alice@example.com', { human_reviewer: 'bob@example.com' }),
      says({ human_reviewer: 'carol@example.com' }),
      'alice@example.com',
    ],
    [
      'a review service, by its certificate',
      identity('reviews:issuer.example', { human_reviewer: 'alice@example.com' }),
      says({ human_reviewer: 'bob@example.com' }),
      'alice@example.com',
    ],
    [
      'a review service, by its statement',
      identity('reviews:issuer.example'),
      says({ human_reviewer: 'bob@example.com' }),
      'bob@example.com',
    ],
  ])('is the person behind %s', (_title, certificate, statement, address) => {
    expect(reviewerOf(certificate, statement)).toStrictEqual({ issuer, address });
  });

  test.each([
    ['an agent', identity('agent:code-writer', { human_reviewer: 'alice@example.com' })],
    ['an agent with a misleading name', identity('agent:reviewer:alice@example.com')],
    ['a build runner', identity('https://ci.example/build.yml', { human_reviewer: 'alice@example.com' })],
    ['a person without the prefix', identity('alice@example.com')],
    ['another spelling of the prefix', identity('Reviewer:alice@example.com')],
    ['a reviewer without an address', identity('reviewer:')],
    ['a reviewer whose address is none', identity('reviewer:alice@example.com\n')],
    ['a review service that certifies no address', identity('reviews:issuer.example', { human_reviewer: 'alice' })],
  ])('is nobody behind %s', (_title, certificate) => {
    expect(reviewerOf(certificate, says({ human_reviewer: 'alice@example.com' }))).toBeUndefined();
  });

  test.each([[undefined], [null], ['alice@example.com'], [{ human_reviewer: 7 }]])(
    'is nobody behind a review service that says %j',
    (predicate) => {
      expect(reviewerOf(identity('reviews:issuer.example'), says(predicate))).toBeUndefined();
    },
  );
});

describe('an e-mail certificate', () => {
  const mail = (subject: string) => ({ ...identity(subject), subject_type: 'email' as const });
  const alice = mail('alice@example.com');

  test('is a person by an issuer that is named for people, and by no other', () => {
    expect(reviewerOf(alice, undefined, [issuer])).toStrictEqual({
      issuer,
      address: 'alice@example.com',
    });
    expect(reviewerOf(alice, undefined, ['https://other.example'])).toBeUndefined();
    expect(reviewerOf(alice)).toBeUndefined();
    expect(reviewerOf(alice, undefined, 'any')).toStrictEqual({ issuer, address: 'alice@example.com' });
  });

  test('is heard by another spelling of such an issuer, and approves nothing by it', () => {
    const named = ['https://other.example', `${issuer.toUpperCase().replace('HTTPS', 'https')}/`];
    expect(speakerOf(alice, undefined, named)).toStrictEqual({ issuer, address: 'alice@example.com' });
    expect(speakerOf(alice, undefined, 'any')).toStrictEqual({ issuer, address: 'alice@example.com' });
    expect(reviewerOf(alice, undefined, named)).toBeUndefined();
    for (const others of [undefined, [], ['https://issuer.example.evil']]) {
      expect(speakerOf(alice, undefined, others)).toBeUndefined();
    }
  });

  test.each([
    ['a URI or user name', identity('alice@example.com')],
    ['no address', mail('alice')],
    ['the address of a machine', mail('deploy@shop.iam.gserviceaccount.com')],
    ['the address of a bot', mail('41898282+github-actions[bot]@users.noreply.github.com')],
  ])('with %s is nobody', (_title, certificate) => {
    expect(certifiedAddress(certificate)).toBeUndefined();
    expect(reviewerOf(certificate, undefined, 'any')).toBeUndefined();
  });
});

test('an agent is known by its prefix', () => {
  expect(isAgentIdentity(identity('agent:x'))).toBe(true);
  expect(isAgentIdentity(identity('reviewer:agent:x@example.com'))).toBe(false);
});

test('the same address at another issuer is another person', () => {
  const alice = { issuer, address: 'alice@example.com' };
  expect(isSamePerson(alice, { ...alice })).toBe(true);
  expect(isSamePerson(alice, { ...alice, issuer: 'https://other.example' })).toBe(false);
  expect(isSamePerson(alice, { ...alice, address: 'Alice@example.com' })).toBe(false);
});
