import type { CertificateIdentity } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import {
  createAnyRule,
  createExactRule,
  createPatternRule,
  createPinnedRule,
  type IdentityRule,
} from '../policy/identity-rule.ts';
import { acceptedNames, mayBeNoOf, mayBeOnePerson } from './may-be-no.ts';

const I = 'https://issuer.example';
const SSO = 'https://sso.example';
const by = (subject: string, issuer = I): CertificateIdentity => ({ issuer, subject, claims: {}, sources: {} });
const saying = (decision: string) => ({
  statement: { predicateType: 'https://a.example/agent-review/v1', predicate: { decision } },
});
const alice = createExactRule(I, 'reviewer:alice@example.com');

describe('a no of whom a rule names', () => {
  test('is what says no, by one of them in whatever spelling', () => {
    expect(mayBeNoOf(alice, by('reviewer:ALICE@example.com'), saying('rejected'))).toBe(true);
    expect(mayBeNoOf(alice, by('reviewer:ALICE@example.com'), 'listed')).toBe(true);
    expect(mayBeNoOf(alice, by('reviewer:ALICE@example.com'), saying('approved'))).toBe(false);
    expect(mayBeNoOf(alice, by('reviewer:bob@example.com'), saying('rejected'))).toBe(false);
    expect(mayBeNoOf(alice, by('reviewer:alice@example.com', SSO), 'listed')).toBe(false);
  });

  test('is not that of a run of another repository, although it has the name of one whom the rule accepted', () => {
    const workflow = 'https://github.com/acme/shared/.github/workflows/test.yml@refs/heads/main';
    const runOf = (repo: string, trigger = 'push') => ({ ...by(workflow), claims: { repo }, trigger });
    const pinned = {
      issuer: I,
      subjectRegExp: 'https://github[.]com/acme/.*',
      repository: 'acme/shop',
      trigger: 'push',
    };
    const rule = createPinnedRule(pinned, ({ claims }) => claims.repo === 'acme/shop');
    const accepted = acceptedNames(rule, [runOf('acme/shop')]);
    for (const one of [rule, createAnyRule([rule])]) {
      expect(mayBeNoOf(one, runOf('mallory/evil'), 'listed', accepted)).toBe(false);
      expect(mayBeNoOf(one, runOf('acme/shop', 'pull_request'), 'listed', accepted)).toBe(false);
      expect(mayBeNoOf(one, runOf('Acme/Shop'), 'listed', accepted)).toBe(true);
    }
  });

  test('is judged by the types that the policy names itself', () => {
    const statement = { predicateType: 'https://acme.example/r', predicate: { human_review: { approved: 0 } } };
    expect(
      mayBeNoOf(alice, by('reviewer:alice@example.com'), { statement, own: { runType: 'https://acme.example/r' } }),
    ).toBe(true);
    const sbom = { predicateType: 'https://cyclonedx.org/bom', predicate: { decision: 'maybe' } };
    expect(
      mayBeNoOf(alice, by('reviewer:alice@example.com'), {
        statement: sbom,
        own: { runType: 'https://acme.example/r' },
      }),
    ).toBe(false);
  });

  test('is also of one whom the rule accepted, whatever its pattern lets through', () => {
    const rule = createPatternRule(I, 'reviewer:[A-Z][^A-Z]+@example[.]com') as IdentityRule;
    const no = by('reviewer:aLICE@example.com');
    expect(rule.accepts(by('reviewer:Alice@example.com'))).toBe(true);
    expect(mayBeNoOf(rule, no, 'listed')).toBe(false);
    expect(mayBeNoOf(rule, no, 'listed', acceptedNames(rule, [by('reviewer:Alice@example.com')]))).toBe(true);
    expect(mayBeNoOf(rule, no, saying('approved'), acceptedNames(rule, [by('reviewer:Alice@example.com')]))).toBe(
      false,
    );
    expect(mayBeNoOf(rule, no, 'listed', acceptedNames(rule, [by('reviewer:Bob@example.com')]))).toBe(false);
    expect(
      mayBeNoOf(rule, by(no.subject, SSO), 'listed', acceptedNames(rule, [by('reviewer:Alice@example.com')])),
    ).toBe(false);
    expect(
      mayBeNoOf(rule, by('agent:alice@example.com'), 'listed', acceptedNames(rule, [by('reviewer:Alice@example.com')])),
    ).toBe(false);
  });
});

test('only those whom a rule accepts are among them, each at its issuers', () => {
  const both = [
    by('reviewer:alice@example.com'),
    by('reviewer:bob@example.com'),
    by('reviewer:alice@example.com', SSO),
  ];
  expect([...acceptedNames(alice, both)]).toEqual([['person alice@example.com', new Set([I])]]);
});

describe('two names', () => {
  const one = (address: string, issuer = I) => ({ address, issuer });

  test('are one person in another spelling, at one issuer', () => {
    expect(mayBeOnePerson(one('alice@example.com'), one('Alice@Example.com', `${I}/`))).toBe(true);
    expect(mayBeOnePerson(one('alice@example.com'), one('alice@example.com', SSO))).toBe(false);
    expect(mayBeOnePerson(one('alice@example.com'), one('bob@example.com'))).toBe(false);
    expect(mayBeOnePerson(one('alice@example.com'), one('agent:alice@example.com'))).toBe(false);
    expect(mayBeOnePerson(one('alice+x@example.com'), one('alice@example.com'))).toBe(false);
  });

  test('are what a rule says of tags and issuers', () => {
    const rule = createExactRule(I, 'x', { plusAddresses: 'same', sameAt: [SSO] });
    expect(mayBeOnePerson(one('alice+x@example.com'), one('alice@example.com', SSO), rule)).toBe(true);
    expect(mayBeOnePerson(one('alice@example.com'), one('alice@example.com', 'https://x.example'), rule)).toBe(false);
  });
});

test('only people are the same at the issuers of sameAt: agents and builders are those of the rule alone', () => {
  const writer = createExactRule(I, 'agent:code-writer', { sameAt: [SSO] });
  const accepted = acceptedNames(writer, [by('agent:code-writer')]);
  expect(mayBeNoOf(writer, by('agent:code-writer', SSO), 'listed', accepted)).toBe(false);
  expect(mayBeNoOf(writer, by('agent:Code-Writer'), 'listed', accepted)).toBe(true);
  const alices = createExactRule(I, 'reviewer:alice@example.com', { sameAt: [SSO] });
  expect(mayBeNoOf(alices, by('alice@example.com', SSO), 'listed', new Map())).toBe(true);
});
