import { generateKeyPairSync } from 'node:crypto';
import { type CertificateIdentity, keyIdentity } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import { publicKeyName } from '../public-key/public-key.ts';
import {
  createAnyRule,
  createExactRule,
  createKeyRule,
  createPinnedRule,
  type IdentityRule,
  NOBODY,
} from './identity-rule.ts';

const I = 'https://issuer.example';
const SSO = 'https://sso.example';
const ALICE = 'alice@example.com';
const by = (subject: string, issuer = I, claims: CertificateIdentity['claims'] = {}): CertificateIdentity => ({
  ...{ issuer, subject, claims, sources: {} },
});
const pem = () => generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
const [KEY, OTHER_KEY] = [pem(), pem()];
const holderOf = (key: string) => keyIdentity(publicKeyName(key) as string);

describe('a rule of a key', () => {
  const rule = createKeyRule(KEY) as IdentityRule;

  test('accepts its holder and hears their no, and nobody else’s', () => {
    const asked = [holderOf(KEY), holderOf(OTHER_KEY), by(ALICE), by('')];
    expect(asked.map((one) => rule.accepts(one))).toEqual([true, false, false, false]);
    expect(asked.map((one) => rule.mayName(one))).toEqual([true, false, false, false]);
    expect(rule.mayComeFrom(holderOf(OTHER_KEY))).toBe(true);
  });

  test('names no issuer, and no two of them are one', () => {
    expect([rule.issuers, rule.keys, rule.acceptsAgents]).toEqual([[], [KEY], false]);
    expect(rule.isSameIssuer(I, I)).toBe(false);
    expect(rule.description).toBe(`the key ${publicKeyName(KEY)}`);
  });

  test('is none without a public key', () => {
    expect(createKeyRule(KEY.replace('PUBLIC', 'PRIVATE'))).toBeUndefined();
  });
});

describe('a rule of several', () => {
  const [alice, bob] = [createExactRule(I, ALICE, { plusAddresses: 'same' }), createExactRule(SSO, 'bob@example.com')];
  const of = (...rules: IdentityRule[]) => createAnyRule(rules);

  test('hears a no that one of them hears, in whatever spelling', () => {
    const asked = [by('Alice@Example.com'), by('Bob@Example.com', SSO), by('Bob@Example.com'), by('eve@example.com')];
    for (const rule of [of(alice, bob), of(bob, alice)]) {
      expect(asked.map((one) => rule.mayName(one))).toEqual([true, true, false, false]);
    }
    expect(of().mayName(by(ALICE))).toBe(false);
  });

  test('lets a no come from where one of them does', () => {
    const pinned = createPinnedRule({ issuer: I, repository: 'acme/shop' }, () => true);
    const elsewhere = by('build', I, { repo: 'mallory/evil' });
    expect(of(pinned).mayComeFrom(elsewhere)).toBe(false);
    expect(of(pinned, alice).mayComeFrom(elsewhere)).toBe(true);
    expect(of(pinned, pinned).mayComeFrom(by('build', I, { repo: 'Acme/Shop' }))).toBe(true);
    expect(of().mayComeFrom(elsewhere)).toBe(false);
  });

  test('hears names as the first of them does, and without any by their spelling', () => {
    expect(of(alice, bob).hearing).toEqual({ plusAddresses: 'same' });
    expect(of().hearing).toEqual({});
  });
});

describe('a rule of whom a verification pins', () => {
  const everybody = () => true;

  test('names its issuer only where it is written out, and no key', () => {
    expect(createPinnedRule({ issuer: I, subject: ALICE }, everybody)).toMatchObject({ issuers: [I], keys: [] });
    expect(createPinnedRule({ issuerRegExp: I, subject: ALICE }, everybody)).toMatchObject({ issuers: [], keys: [] });
  });

  test.each([
    [{ issuer: I, subject: ALICE }, `${ALICE} of ${I}`],
    [{ issuer: I, subjectRegExp: 'a.*' }, `/a.*/ of ${I}`],
    [{ issuerRegExp: 'https://.*', subject: ALICE }, `${ALICE} of /https://.*/`],
    [{}, '// of //'],
  ])('of %j is told as %s', (pinned, told) => {
    expect(createPinnedRule(pinned, everybody).description).toBe(told);
  });

  test('lets everybody come where no repository and no event is pinned', () => {
    const ofRepository = createPinnedRule({ issuer: I, repository: 'acme/shop' }, everybody);
    const ofAll = createPinnedRule({ issuer: I }, everybody);
    const elsewhere = { ...by('build', I, { repo: 'mallory/evil' }), trigger: 'push' };
    expect([ofRepository, ofAll].map((rule) => rule.mayComeFrom(elsewhere))).toEqual([false, true]);
    expect([ofRepository, ofAll].map((rule) => rule.mayName(elsewhere))).toEqual([false, true]);
  });
});

describe('names in other spellings', () => {
  const claims = { human_reviewer: 'Alice@example.com' };

  test('are those of a review service that speaks for the person, too, also at an issuer of the same people', () => {
    const rule = createExactRule(I, `reviewer:${ALICE}`, { sameAt: [SSO] });
    expect(rule.mayName(by('reviews:issuer.example', I, claims))).toBe(true);
    expect(rule.mayName(by('reviews:issuer.example', SSO, claims))).toBe(true);
    expect(rule.mayName(by('reviews:issuer.example', SSO))).toBe(false);
  });

  test('are of people alone where a person is meant', () => {
    // What is no address behind `reviewer:` names a person by a word that others bear, too.
    expect(createExactRule(I, 'reviewer:build').mayName(by('build'))).toBe(false);
    expect(createExactRule(I, 'build').mayName(by('reviewer:build'))).toBe(false);
  });

  test('are none of nobody', () => {
    expect([NOBODY.accepts(by(ALICE)), NOBODY.mayName(by(ALICE)), NOBODY.mayComeFrom(by(ALICE))]).toEqual([
      ...[false, false, true],
    ]);
    expect([NOBODY.issuers, NOBODY.keys, NOBODY.acceptsAgents, NOBODY.isSameIssuer(I, I)]).toEqual([
      ...[[], [], false, false],
    ]);
  });
});
