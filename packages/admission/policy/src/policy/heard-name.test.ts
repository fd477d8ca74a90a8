import type { CertificateIdentity } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { heardIssuer, heardName, heardNames, heardTexts } from './heard-name.ts';
import {
  createAnyRule,
  createExactRule,
  createPatternRule,
  createPinnedRule,
  type IdentityRule,
  type PinnedSigner,
} from './identity-rule.ts';

const I = 'https://issuer.example';
const SSO = 'https://sso.example';
const by = (subject: string, issuer = I, claims: CertificateIdentity['claims'] = {}): CertificateIdentity => ({
  issuer,
  subject,
  claims,
  sources: {},
});

test.each<[string, ReturnType<typeof heardName>]>([
  ['reviewer:Alice@Example.com', { kind: 'person', name: 'alice@example.com' }],
  ['REVIEWER:alice@example.com', { kind: 'person', name: 'alice@example.com' }],
  ['Alice@bücher.example', { kind: 'person', name: 'alice@xn--bcher-kva.example' }],
  ['agent:Code-Writer', { kind: 'other', name: 'agent:code-writer' }],
  ['agent:alice@example.com', { kind: 'other', name: 'agent:alice@example.com' }],
  [
    'https://github.com/Acme/x.yml@refs/heads/main',
    { kind: 'other', name: 'https://github.com/acme/x.yml@refs/heads/main' },
  ],
  ['a@b@c', { kind: 'other', name: 'a@b@c' }],
  ['alice@', { kind: 'other', name: 'alice@' }],
  ['@example.com', { kind: 'other', name: '@example.com' }],
  ['alice', { kind: 'other', name: 'alice' }],
  ['reviewer:', { kind: 'person', name: '' }],
])('%s is heard as %j', (subject, name) => {
  expect(heardName(subject)).toEqual(name);
});

test('a review service is heard as the one for whom it is certified to speak, and nobody else is', () => {
  const claims = { human_reviewer: 'Alice@example.com' };
  expect(heardNames(by('reviews:issuer.example', I, claims))).toEqual([
    { kind: 'other', name: 'reviews:issuer.example' },
    { kind: 'person', name: 'alice@example.com' },
  ]);
  expect(heardNames(by('reviews:issuer.example'))).toHaveLength(1);
  expect(heardNames(by('agent:code-writer', I, claims))).toHaveLength(1);
});

test('a pattern is tried on each form of a name', () => {
  expect(heardTexts(by('reviewer:Alice+x@Example.com'))).toEqual([
    'reviewer:Alice+x@Example.com',
    'alice+x@example.com',
    'reviewer:alice+x@example.com',
  ]);
  expect(heardTexts(by('Alice+x@Example.com'), { plusAddresses: 'same' })).toEqual([
    'Alice+x@Example.com',
    'alice+x@example.com',
    'reviewer:alice+x@example.com',
    'alice@example.com',
    'reviewer:alice@example.com',
  ]);
  expect(heardTexts(by('agent:Code-Writer'))).toEqual(['agent:Code-Writer', 'agent:code-writer']);
});

test.each([
  ['https://Issuer.Example/', 'https://issuer.example'],
  ['https://issuer.example:443', 'https://issuer.example'],
  ['https://issuer.example/Tenant//', 'https://issuer.example/Tenant'],
  ['https://issuer.example/a?b#c', 'https://issuer.example/a?b#c'],
  ['urn:Issuer', 'urn:Issuer'],
  ['no address', 'no address'],
  ['', ''],
])('the issuer %j is heard as %j', (issuer, heard) => {
  expect(heardIssuer(issuer)).toBe(heard);
});

function pattern(text: string, hearing = {}, issuer = I): IdentityRule {
  const rule = createPatternRule(issuer, text, hearing);
  if ('code' in rule) throw new Error(rule.message);
  return rule;
}

describe('a rule', () => {
  test.each<[string, IdentityRule, CertificateIdentity, boolean]>([
    ['another case', createExactRule(I, 'reviewer:alice@example.com'), by('reviewer:ALICE@example.com'), true],
    ['an e-mail certificate', createExactRule(I, 'reviewer:alice@example.com'), by('Alice@example.com'), true],
    ['a reviewer of an e-mail rule', createExactRule(I, 'alice@example.com'), by('reviewer:Alice@example.com'), true],
    ['a rule in capitals', createExactRule(I, 'reviewer:ALICE@Example.com'), by('reviewer:alice@example.com'), true],
    ['an agent in another case', createExactRule(I, 'agent:code-writer'), by('agent:Code-Writer'), true],
    ['an agent for a person', createExactRule(I, 'agent:alice@example.com'), by('alice@example.com'), false],
    ['another person', createExactRule(I, 'reviewer:alice@example.com'), by('reviewer:bob@example.com'), false],
    ['another issuer', createExactRule(I, 'reviewer:alice@example.com'), by('reviewer:alice@example.com', SSO), false],
    ['a tag', createExactRule(I, 'reviewer:alice@example.com'), by('reviewer:alice+x@example.com'), false],
    [
      'a tag where it is the same',
      createExactRule(I, 'reviewer:alice@example.com', { plusAddresses: 'same' }),
      by('reviewer:alice+x@example.com'),
      true,
    ],
    [
      'a tag of the rule where it is the same',
      createExactRule(I, 'reviewer:alice+y@example.com', { plusAddresses: 'same' }),
      by('reviewer:alice@example.com'),
      true,
    ],
    [
      'an issuer of the same people',
      createExactRule(I, 'reviewer:alice@example.com', { sameAt: [`${SSO}/`] }),
      by('Alice@example.com', SSO),
      true,
    ],
    [
      'an agent of that issuer',
      createExactRule(I, 'agent:code-writer', { sameAt: [SSO] }),
      by('agent:code-writer', SSO),
      false,
    ],
    ['a third issuer', createExactRule(I, 'alice@a.example', { sameAt: [SSO] }), by('alice@a.example', 'x'), false],
    ['a pattern in capitals', pattern('reviewer:(Alice|Bob)@Example[.]com'), by('reviewer:alice@example.com'), true],
    ['a pattern in lower case', pattern('reviewer:[a-z]+@example[.]com'), by('Alice@example.com'), true],
    ['a pattern without capitals', pattern('reviewer:[^A-Z]+@example[.]com'), by('reviewer:ALICE@example.com'), true],
    ['another pattern', pattern('reviewer:[a-z]+@example[.]com'), by('alice@other.example'), false],
    ['a pattern of another issuer', pattern('reviewer:.*@a[.]example'), by('reviewer:x@a.example', SSO), false],
    ['a pattern, a tag', pattern('reviewer:[a-z]+@a[.]example'), by('reviewer:x+y@a.example'), false],
    [
      'a pattern, a tag that is the same',
      pattern('reviewer:[a-z]+@a[.]example', { plusAddresses: 'same' }),
      by('reviewer:x+y@a.example'),
      true,
    ],
    [
      'one of several',
      createAnyRule([createExactRule(I, 'a@a.example'), createExactRule(SSO, 'b@a.example')]),
      by('B@a.example', SSO),
      true,
    ],
    [
      'one of several at the issuer of another',
      createAnyRule([createExactRule(I, 'a@a.example'), createExactRule(SSO, 'b@a.example')]),
      by('B@a.example', I),
      false,
    ],
    ['none of several', createAnyRule([]), by('a@a.example'), false],
  ])('may name %s', (_title, rule, identity, expected) => {
    expect(rule.mayName(identity)).toBe(expected);
  });

  test('takes issuers for one where it says so', () => {
    const rule = createExactRule(I, 'alice@example.com', { sameAt: [SSO, 'https://login.example'] });
    expect(rule.isSameIssuer(I, `${I}/`)).toBe(true);
    expect(rule.isSameIssuer(I, SSO)).toBe(true);
    expect(rule.isSameIssuer('https://login.example', SSO)).toBe(true);
    expect(rule.isSameIssuer(I, 'https://other.example')).toBe(false);
    expect(rule.isSameIssuer('https://other.example', 'https://other.example/')).toBe(true);
    expect(createAnyRule([createExactRule(SSO, 'x'), rule]).isSameIssuer(I, SSO)).toBe(true);
    expect(createAnyRule([createExactRule(SSO, 'x'), createExactRule(I, 'x')]).isSameIssuer(I, SSO)).toBe(false);
  });

  test('accepts a reviewer in the spelling that is written, and in lower case', () => {
    const rule = createExactRule(I, 'reviewer:Alice@Example.com');
    const accepted = ['reviewer:Alice@Example.com', 'reviewer:alice@example.com', 'reviewer:ALICE@example.com'];
    expect(accepted.map((subject) => rule.accepts(by(subject)))).toEqual([true, true, false]);
    expect(createExactRule(I, 'Alice@Example.com').accepts(by('alice@example.com'))).toBe(false);
    expect(createExactRule(I, 'agent:Writer').accepts(by('agent:writer'))).toBe(false);
    expect(rule.accepts(by('reviewer:alice@example.com', SSO))).toBe(false);
  });

  test('of a pattern with capitals accepts the reviewer in lower case, and no look-alike, agent or other issuer', () => {
    const rule = pattern('reviewer:Sam[.]K@Example[.]com|Sam@Example[.]com');
    const accepts = (subject: string, issuer = I) => rule.accepts(by(subject, issuer));
    expect(accepts('reviewer:Sam.K@Example.com')).toBe(true);
    expect(accepts('reviewer:sam.k@example.com')).toBe(true);
    // Only as an issuer of reviewers writes it.
    expect(accepts('reviewer:SAM.K@example.com')).toBe(false);
    expect(accepts('reviewer:sam.k@Example.com')).toBe(false);
    expect(accepts('sam@example.com')).toBe(false);
    expect(accepts('reviewer:sam.k@example.com', SSO)).toBe(false);
    // A long s and a Kelvin sign fold to s and k.
    expect(accepts('reviewer:\u017fam.k@example.com')).toBe(false);
    expect(accepts('reviewer:sam.\u212a@example.com')).toBe(false);
    expect(pattern('agent:Writer').accepts(by('agent:writer'))).toBe(false);
  });

  test('whom it accepts it may name', () => {
    const subject = fc.oneof(
      fc.emailAddress(),
      fc.emailAddress().map((one) => `reviewer:${one}`),
      fc.string(),
    );
    fc.assert(
      fc.property(subject, fc.constantFrom({}, { plusAddresses: 'same' } as const), (name, hearing) => {
        expect(createExactRule(I, name, hearing).mayName(by(name))).toBe(true);
      }),
    );
  });
});

describe('whom a verification pins', () => {
  const alice = { issuer: SSO, subject: 'alice@example.com' };
  const writer = { issuer: I, subjectRegExp: 'agent:.*', repository: 'acme/webshop', trigger: 'push' };
  const { claims: _, ...agent } = by('agent:writer');
  const run = (repo?: string, trigger?: string): CertificateIdentity => ({
    ...{ ...agent, claims: repo === undefined ? {} : { repo } },
    ...(trigger === undefined ? {} : { trigger }),
  });

  test.each<[string, PinnedSigner, CertificateIdentity, boolean]>([
    ['a reviewer in another case', alice, by('reviewer:Alice@Example.com', `${SSO}/`), true],
    ['another person', alice, by('bob@example.com', SSO), false],
    ['the same address at another issuer', alice, by('alice@example.com'), false],
    ['a tag', alice, by('alice+x@example.com', SSO), false],
    ['by a pattern', { issuer: SSO, subjectRegExp: '[a-z]+@example[.]com' }, by('Alice@Example.com', SSO), true],
    ['another, by a pattern', { issuer: SSO, subjectRegExp: '[a-z]+@example[.]com' }, by('a@b.example', SSO), false],
    ['by a pattern of issuers', { issuerRegExp: 'https://sso[.].*', subject: 'alice' }, by('alice', SSO), true],
    ['with a slash in it', { issuerRegExp: `${SSO}/`, subject: 'alice' }, by('Alice', 'https://SSO.example'), true],
    ['another issuer than that', { issuerRegExp: 'https://sso[.].*', subject: 'alice' }, by('alice'), false],
    ['everybody of an issuer', { issuer: SSO }, by('agent:anything', SSO), true],
    ['nobody of another one', { issuer: SSO }, by('agent:anything'), false],
    ['nobody by patterns that are none', { issuerRegExp: '(', subject: 'alice' }, by('alice'), false],
    ['nobody by a pattern that is none', { issuer: I, subjectRegExp: '(' }, by('alice'), false],
    ['nobody without an issuer', { subject: 'alice' }, by('alice', SSO), false],
    ['a run of the repository, in another case', writer, run('Acme/Webshop', 'Push'), true],
    ['what names neither repository nor event', writer, run(), true],
    ['a run of another repository', writer, run('acme/other', 'push'), false],
    ['a run of another event', writer, run('acme/webshop', 'pull_request'), false],
  ])('may be %s', (_title, pinned, identity, expected) => {
    expect(createPinnedRule(pinned, () => false).mayName(identity)).toBe(expected);
  });

  test('is accepted by whoever asks, and is one person at one issuer alone', () => {
    const rule = createPinnedRule(alice, ({ subject }) => subject === 'alice@example.com');
    expect([rule.accepts(by('alice@example.com', SSO)), rule.accepts(by('Alice@example.com', SSO))]).toEqual([
      true,
      false,
    ]);
    expect([rule.isSameIssuer(SSO, `${SSO}/`), rule.isSameIssuer(SSO, I)]).toEqual([true, false]);
    expect(rule.description).toBe(`alice@example.com of ${SSO}`);
  });
});
