import type { CertificateIdentity } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdentityPolicy, decideIdentity, type IdentityPolicyOptions, namesIssuer } from './identity-policy.ts';
import { IdentityPolicyError } from './identity-policy-error.ts';

const ISSUER = 'https://issuer.example';
const identity = (fields: Partial<CertificateIdentity> = {}): CertificateIdentity => ({
  issuer: ISSUER,
  subject: 'agent:code-writer',
  trigger: 'pull_request',
  claims: { repo: 'acme/shop', commit_sha: 'c'.repeat(40) },
  sources: {},
  ...fields,
});

const codesOf = (options: IdentityPolicyOptions, found = identity()) =>
  decideIdentity(createIdentityPolicy(options), found).map(({ code }) => code);

function refusal(options: IdentityPolicyOptions): IdentityPolicyError {
  try {
    createIdentityPolicy(options);
  } catch (error) {
    if (error instanceof IdentityPolicyError) return error;
    throw error;
  }
  throw new Error('the policy was accepted');
}

describe('an identity policy', () => {
  it.each<[title: string, options: IdentityPolicyOptions]>([
    ['exact issuer and subject', { issuer: ISSUER, subject: 'agent:code-writer' }],
    ['patterns for both', { issuerRegExp: 'https://issuer\\.example', subjectRegExp: 'agent:code-(writer|fixer)' }],
    ['any agent', { issuer: ISSUER, subjectRegExp: '^agent:.*' }],
    [
      'everything',
      {
        issuer: ISSUER,
        subject: 'agent:code-writer',
        trigger: 'pull_request',
        repository: 'acme/shop',
        sha: 'c'.repeat(40),
      },
    ],
    ['only the issuer, gated elsewhere', { issuer: ISSUER, gatedElsewhere: true }],
    ['a pattern that accepts anybody, gated elsewhere', { issuer: ISSUER, subjectRegExp: '.*', gatedElsewhere: true }],
    [
      'fields that are given empty',
      {
        issuer: ISSUER,
        issuerRegExp: '',
        subject: 'agent:code-writer',
        subjectRegExp: '',
      },
    ],
  ])('of %s is met', (_title, options) => {
    expect(codesOf(options)).toEqual([]);
  });

  it.each<[title: string, options: IdentityPolicyOptions, code: string]>([
    ['another issuer', { issuer: `${ISSUER}/`, subject: 'agent:code-writer' }, 'identity.issuer_mismatch'],
    [
      'a part of the issuer',
      { issuerRegExp: 'https://issuer', subject: 'agent:code-writer' },
      'identity.issuer_mismatch',
    ],
    ['another subject', { issuer: ISSUER, subject: 'agent:code-write' }, 'identity.subject_mismatch'],
    ['a part of the subject', { issuer: ISSUER, subjectRegExp: 'agent:code' }, 'identity.subject_mismatch'],
    [
      'a part of the subject, gated elsewhere',
      { issuer: ISSUER, subjectRegExp: 'agent:code', gatedElsewhere: true },
      'identity.subject_mismatch',
    ],
    [
      'one of two names, unanchored',
      { issuer: ISSUER, subjectRegExp: 'agent:code|agent:x' },
      'identity.subject_mismatch',
    ],
    ['another trigger', { issuer: ISSUER, subjectRegExp: '^agent:.*', trigger: 'push' }, 'identity.trigger_mismatch'],
    [
      'another repository',
      { issuer: ISSUER, subjectRegExp: '^agent:.*', repository: 'acme/sho' },
      'identity.repository_mismatch',
    ],
    ['another commit', { issuer: ISSUER, subjectRegExp: '^agent:.*', sha: 'c'.repeat(39) }, 'identity.sha_mismatch'],
  ])('of %s is not met', (_title, options, code) => {
    expect(codesOf(options)).toEqual([code]);
  });

  it('names every constraint that is not met, with what was expected and found', () => {
    const policy = createIdentityPolicy({
      issuer: 'https://x',
      subjectRegExp: 'agent:y',
      trigger: 'push',
      repository: 'a/b',
      sha: 'd',
    });
    const { trigger, ...bare } = identity({ claims: {} });
    expect(decideIdentity(policy, bare)).toEqual([
      { code: 'identity.issuer_mismatch', expected: 'https://x', found: ISSUER },
      { code: 'identity.subject_mismatch', expected: 'agent:y', found: 'agent:code-writer' },
      { code: 'identity.trigger_mismatch', expected: 'push', found: '' },
      { code: 'identity.repository_mismatch', expected: 'a/b', found: '' },
      { code: 'identity.sha_mismatch', expected: 'd', found: '' },
    ]);
  });

  it.each<[title: string, options: IdentityPolicyOptions, code: string]>([
    ['no issuer', { subject: 'agent:x' }, 'identity.issuer_missing'],
    ['an empty issuer', { issuer: '', subject: 'agent:x' }, 'identity.issuer_missing'],
    ['no issuer even when gated elsewhere', { gatedElsewhere: true }, 'identity.issuer_missing'],
    ['no subject', { issuer: ISSUER }, 'identity.unconstrained'],
    ['an empty subject', { issuer: ISSUER, subject: '', subjectRegExp: '' }, 'identity.unconstrained'],
    ['gating elsewhere that is denied', { issuer: ISSUER, gatedElsewhere: false }, 'identity.unconstrained'],
    [
      'a text and a pattern for the issuer',
      { issuer: ISSUER, issuerRegExp: ISSUER, subject: 'x' },
      'identity.ambiguous',
    ],
    [
      'a text and a pattern for the subject',
      { issuer: ISSUER, subject: 'x', subjectRegExp: 'x' },
      'identity.ambiguous',
    ],
    ['a pattern that is none', { issuer: ISSUER, subjectRegExp: 'agent:(' }, 'identity.pattern_invalid'],
    ['a pattern that is two halves', { issuer: ISSUER, subjectRegExp: 'agent:a)|(b' }, 'identity.pattern_invalid'],
    ['an issuer pattern that is none', { issuerRegExp: '[', subject: 'x' }, 'identity.pattern_invalid'],
    [
      'a pattern that is none, gated elsewhere',
      { issuer: ISSUER, subjectRegExp: '[', gatedElsewhere: true },
      'identity.pattern_invalid',
    ],
    ['any issuer', { issuerRegExp: '.*', subject: 'agent:x' }, 'identity.unconstrained'],
    ['any https issuer', { issuerRegExp: 'https://.*', subject: 'agent:x' }, 'identity.unconstrained'],
  ])('with %s is refused when it is made: %s', (_title, options, code) => {
    const error = refusal(options);
    expect(error.code).toBe(code);
    expect(error.name).toBe('IdentityPolicyError');
  });

  it.each(['.*', '^.*$', '(a|.*)', 'agent:.*|.*', '[\\s\\S]*', '.+', '(?s).*', '[^x]*', '\\S+', '(.*)', '.{1,}', '^'])(
    'that accepts anybody (%s) is refused unless gating is done elsewhere',
    (subjectRegExp) => {
      if (subjectRegExp !== '^') expect(refusal({ issuer: ISSUER, subjectRegExp }).code).toBe('identity.unconstrained');
      expect(() => createIdentityPolicy({ issuer: ISSUER, subjectRegExp, gatedElsewhere: true })).not.toThrow();
    },
  );

  it('says which of the two is at fault', () => {
    expect(refusal({ issuerRegExp: '[', subject: 'x' }).message).toContain('issuer');
    expect(refusal({ issuer: ISSUER, subjectRegExp: '[' }).message).toContain('subject');
    expect(refusal({ issuer: ISSUER, subjectRegExp: '.*' }).message).toMatch(
      /subject accepts anybody: \.\*.*gated elsewhere/,
    );
    expect(refusal({ issuer: ISSUER }).message).toContain('no subject');
    expect(refusal({ subject: 'x' }).message).toContain('issuer');
    expect(refusal({ issuer: ISSUER, issuerRegExp: 'x', subject: 'x' }).message).toContain('issuer');
  });

  it('with exact texts accepts nobody else', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (issuer, subject) => {
        const accepted = codesOf({ issuer: ISSUER, subject: 'agent:x' }, identity({ issuer, subject })).length === 0;
        return accepted === (issuer === ISSUER && subject === 'agent:x');
      }),
    );
  });

  it('answers at once for a pattern that would backtrack for hours', () => {
    const subject = `agent:${'a'.repeat(5000)}!`;
    expect(codesOf({ issuer: ISSUER, subjectRegExp: '^agent:(a+)+$' }, identity({ subject }))).toEqual([
      'identity.subject_mismatch',
    ]);
  });
});

it('waives the subject when gated elsewhere, and never the issuer', () => {
  for (const issuerRegExp of ['.*', 'https?://.*']) {
    expect(() => createIdentityPolicy({ issuerRegExp, subjectRegExp: '.*', gatedElsewhere: true })).toThrow(
      expect.objectContaining({ code: 'identity.unconstrained' }),
    );
  }
});

describe('an empty constraint', () => {
  it.each(['trigger', 'repository', 'sha'])('is refused as %s, and not dropped', (name) => {
    const pinned = { issuer: 'https://issuer.example', subject: 'agent:a' };
    expect(() => createIdentityPolicy({ ...pinned, [name]: '' })).toThrow(TypeError);
  });
});

it('names an issuer by its text, and not by what a pattern or another constraint says', () => {
  const names = (options: IdentityPolicyOptions, issuer = ISSUER) => namesIssuer(createIdentityPolicy(options), issuer);
  expect(names({ issuer: ISSUER, subject: 'agent:code-writer' })).toBe(true);
  expect(names({ issuer: ISSUER, subject: 'agent:code-writer' }, `${ISSUER}/`)).toBe(false);
  expect(names({ issuerRegExp: 'https://.*\\.example', subject: 'agent:code-writer' })).toBe(false);
  expect(names({ issuer: 'https://other.example', subject: ISSUER })).toBe(false);
});
