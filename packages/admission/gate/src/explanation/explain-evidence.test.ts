import { agentReviewType, agentRunType, type CertificateIdentity, type Statement } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import { explainEvidence } from './explain-evidence.ts';
import type { FoundSignature } from './explained-documents.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const COMMIT = 'c'.repeat(40);
const ISSUER = 'https://issuer.example';

const identity = (
  subject: string,
  claims: CertificateIdentity['claims'],
  sources: CertificateIdentity['sources'] = {},
): CertificateIdentity => ({ issuer: ISSUER, subject, claims, sources });

let index = 0;
const signature = (by: CertificateIdentity, statement?: Statement): FoundSignature => ({
  certificate_identity: by,
  log_entry: { log_index: index++, log_id: 'd'.repeat(64), integrated_at: '2026-11-25T10:00:00Z' },
  certified_at: '2026-11-25T10:00:00Z',
  found_in: ['registry'],
  ...(statement === undefined ? { artifact_digest: DIGEST } : { statement }),
});
const about = (predicateType: string, predicate: unknown, digest: Statement['subject'][0]['digest']): Statement => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'x', digest }],
  predicateType,
  predicate,
});
const sha256 = { sha256: DIGEST.slice(7) };

const explain = (...signatures: FoundSignature[]) =>
  explainEvidence({
    subject: { kind: 'image', name: 'x', digest: DIGEST, digests: new Set([DIGEST]) },
    signatures,
    unverified: [],
    unread: [],
    lists: [],
    places: [],
  });

const agent = (
  name: string,
  claims: CertificateIdentity['claims'] = {},
  sources: CertificateIdentity['sources'] = {},
) => identity(`agent:${name}`, { agent_name: name, model_id: 'm', commit_sha: COMMIT, ...claims }, sources);

test('a value is confirmed only where somebody else vouches for it', () => {
  const { facts } = explain(signature(agent('a', {}, { model_id: 'witness-isolated', commit_sha: 'declared' })));
  expect(facts.map(({ field, standing, source }) => [field, standing, source])).toEqual([
    ['agent_name', 'claimed', 'declared'],
    ['model_id', 'confirmed', 'witness-isolated'],
    ['commit_sha', 'claimed', 'declared'],
  ]);
});

test('what an agent claims is confirmed by no agent of another issuer', () => {
  const other = { ...agent('b', {}, { model_id: 'witness-isolated' }), issuer: 'https://other.example' };
  const { facts } = explain(signature(agent('a')), signature(other));
  const models = facts.filter(({ field }) => field === 'model_id');
  expect(models.map(({ value, standing, issuer }) => [value, standing, issuer])).toEqual([
    ['m', 'claimed', ISSUER],
    ['m', 'confirmed', 'https://other.example'],
  ]);
});

test('a run that says another value than its certificate makes no confirmed value of it', () => {
  const run = about(agentRunType(), { agent: { name: 'a' }, model: { id: 'other' } }, sha256);
  const { facts, contradictions } = explain(signature(agent('a', {}, { model_id: 'registry' }), run));
  const models = facts.filter(({ field }) => field === 'model_id');
  expect(models.map(({ value, standing }) => [value, standing])).toEqual([
    ['m', 'confirmed'],
    ['other', 'claimed'],
  ]);
  expect(contradictions.map(({ field, between }) => [field, between])).toEqual([['model.id', 'run-and-certificate']]);
});

test('what is about something else states nothing about the artifact', () => {
  const elsewhere = about(agentRunType(), { model: { id: 'other' } }, { sha256: 'b'.repeat(64) });
  const { facts, signatures } = explain(signature(agent('a')), signature(agent('b'), elsewhere));
  expect(facts.map(({ value }) => value)).not.toContain('other');
  // It names the same commit by its certificate.
  expect(signatures.map((one) => one.about)).toEqual(['subject', 'commit']);
});

describe('differences', () => {
  test('are two commits of one artifact, and none are two models of two agents', () => {
    const two = explain(signature(agent('a')), signature(agent('b', { model_id: 'n' })));
    expect([...two.contradictions, ...two.differences]).toEqual([]);
    const commits = explain(signature(agent('a')), signature(agent('b', { commit_sha: 'e'.repeat(40) })));
    expect(commits.differences).toMatchObject([{ field: 'commit_sha', said: [{ value: COMMIT }, {}] }]);
    expect(commits.contradictions).toEqual([]);
  });

  test('are none where the same is spelt otherwise', () => {
    const { contradictions, differences } = explain(
      signature(agent('a')),
      signature(agent('b', { commit_sha: COMMIT.toUpperCase() })),
    );
    expect([...contradictions, ...differences]).toEqual([]);
  });

  test('are an agent that says another model of itself', () => {
    const { contradictions, differences } = explain(signature(agent('a')), signature(agent('a', { model_id: 'n' })));
    expect(differences).toMatchObject([{ field: 'model_id', between: 'documents' }]);
    expect(contradictions).toEqual([]);
  });
});

describe('a review', () => {
  const review = (subject: string, predicate: object) =>
    signature(
      identity(subject, { human_reviewer: 'alice@example.com' }),
      about(agentReviewType(), { human_reviewer: 'alice@example.com', ...predicate }, sha256),
    );

  test('is confirmed by the certified reviewer alone', () => {
    const { reviews } = explain(
      review('reviewer:alice@example.com', { decision: 'approved' }),
      review('agent:a', { decision: 'approved' }),
      review('reviewer:bob@example.com', { decision: 'approved' }),
    );
    expect(reviews.map(({ signer, standing }) => [signer, standing])).toEqual([
      ['reviewer:alice@example.com', 'confirmed'],
      ['agent:a', 'claimed'],
      ['reviewer:bob@example.com', 'claimed'],
    ]);
  });

  test('that rejects stands, whatever an agent says it decided', () => {
    const run = about(
      agentRunType(),
      { agent: { name: 'a' }, human_review: { reviewer: 'alice@example.com', approved: true } },
      sha256,
    );
    const found = explain(
      signature(agent('a'), run),
      review('reviewer:alice@example.com', { decision: 'rejected', review_timestamp: '2026-11-25T10:00:00Z' }),
    );
    expect(found.rejections).toMatchObject([{ person: { address: 'alice@example.com' } }]);
    expect(found.differences).toMatchObject([{ field: 'decision' }]);
  });
});

test.each([
  ['v1', { buildDefinition: { resolvedDependencies: [null, { digest: { gitCommit: COMMIT.toUpperCase() } }] } }],
  ['v0.2', { materials: [{ digest: { sha1: COMMIT } }, { digest: 7 }] }],
])('a rejection of the commit that build provenance %s names is one of the artifact', (version, predicate) => {
  const built = about(`https://slsa.dev/provenance/${version}`, predicate, sha256);
  const review = { human_reviewer: 'bob@example.com', review_timestamp: '2026-11-25T10:00:00Z', decision: 'rejected' };
  const no = signature(
    identity('reviewer:bob@example.com', {}),
    about(agentReviewType(), { ...review, commit_sha: COMMIT }, { gitCommit: COMMIT }),
  );
  const { rejections, reviews } = explain(signature(identity('https://ci.example/build', {}), built), no);
  expect([rejections.length, reviews.map((one) => one.about)]).toEqual([1, ['commit']]);
});
