import { describe, expect, test } from 'vitest';
import type { CertificateIdentity } from '../certificate-identity/certificate-identity.ts';
import { TOKEN_PURPOSES } from '../claim/claim-table.ts';
import { STATEMENT_TYPE } from '../predicate-type/predicate-type.ts';
import type { Statement } from '../statement/statement.ts';
import { purposeFits, purposeOf, type SignedKind, signedKindOf } from './purpose.ts';

const statement = (predicateType: string, ...digests: Statement['subject'][number]['digest'][]): Statement => ({
  ...{ _type: STATEMENT_TYPE, predicateType, predicate: {} },
  subject: digests.map((digest) => ({ digest })),
});
const commit = { gitCommit: 'a'.repeat(40) };
const image = { sha256: 'b'.repeat(64) };

describe('purposeFits', () => {
  // Written out by hand: artifact, commit, review.
  test.each<[SignedKind, readonly boolean[]]>([
    ['artifact', [true, false, false]],
    ['document', [true, false, true]],
    ['commit', [true, true, false]],
    ['review', [true, false, true]],
    ['git-statement', [true, true, false]],
    ['statement', [true, false, false]],
  ])('%s: artifact, commit, review %j, and whoever names none', (kind, fitting) => {
    expect(TOKEN_PURPOSES.map((purpose) => purposeFits(purpose, kind))).toEqual(fitting);
    expect(purposeFits(undefined, kind)).toBe(true);
  });
});

describe('signedKindOf', () => {
  test.each<[SignedKind, Statement]>([
    ['review', statement('https://acme.example/agent-review/v1', image)],
    ['review', statement('https://other.example/x/agent-review/v1', commit)],
    ['review', statement('https://acme.example/review-withdrawal/v1', image)],
    ['git-statement', statement('https://acme.example/agent-run/v1', commit)],
    ['git-statement', statement('https://acme.example/x', commit, { gitTree: 'c', gitBlob: 'd' }, { gitTag: 'e' })],
    ['statement', statement('https://acme.example/agent-run/v1', image)],
    ['statement', statement('https://acme.example/agent-run/v1', commit, image)],
    ['statement', statement('https://acme.example/agent-run/v1', { ...commit, ...image })],
    ['statement', statement('https://acme.example/agent-run/v1', { sha1: 'a'.repeat(40) })],
    ['statement', statement('https://acme.example/agent-run/v1', {})],
    ['statement', statement('https://acme.example/agent-run/v1')],
    ['statement', statement('https://acme.example/agent-review/v1/more', image)],
    ['statement', statement('agent-review', image)],
  ])('says %s of a statement (%#)', (kind, signed) => {
    expect(signedKindOf(signed)).toBe(kind);
  });

  test('takes the type that a policy names for a review', () => {
    const signed = statement('https://acme.example/approval/v2', image);
    expect(signedKindOf(signed, 'https://acme.example/approval/v2')).toBe('review');
    expect(signedKindOf(signed, 'https://acme.example/approval/v1')).toBe('statement');
  });
});

describe('purposeOf', () => {
  const identity = (subject: string, purpose?: CertificateIdentity['purpose']): CertificateIdentity => ({
    ...{ issuer: 'https://issuer.example', subject, claims: {}, sources: {} },
    ...(purpose === undefined ? {} : { purpose }),
  });

  test('is what the certificate says; where it names none, a reviewer says it by their name', () => {
    expect(purposeOf(identity('agent:a', 'commit'))).toBe('commit');
    expect(purposeOf(identity('reviewer:a@b'))).toBe('review');
    expect(purposeOf(identity('agent:a'))).toBeUndefined();
    expect(purposeOf(identity('a@b'))).toBeUndefined();
    expect(purposeOf(identity('reviews:forge.example'))).toBeUndefined();
    expect(purposeOf(identity('evidence:issuer.example'))).toBeUndefined();
  });
});
