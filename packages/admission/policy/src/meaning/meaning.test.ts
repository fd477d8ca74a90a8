import { agentReviewType, agentRunType, OWN_PREDICATES } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAffirmative, type Meaning, meaningOf } from './meaning.ts';

const REVIEW = agentReviewType('https://a.example');
const RUN = agentRunType('https://a.example');
const TEST = 'https://in-toto.io/attestation/test-result/v0.1';
const SUMMARY = 'https://slsa.dev/verification_summary/v1';
const OLDER_SUMMARY = 'https://slsa.dev/verification_summary/v0.2';
const hash = (digit: string) => `sha256:${digit.repeat(64)}`;
const review = { human_reviewer: 'alice@example.com', review_timestamp: '2026-11-21T10:00:00Z' };
const run = {
  agent: { name: 'code-writer', version: '1.0.0' },
  model: { id: 'claude-sonnet-4-5', provider: 'anthropic' },
  input: { prompt_hash: hash('1') },
  policy: { pack_hash: hash('2') },
  git: { commit_sha: 'a'.repeat(40) },
};
const says = (predicateType: string, predicate: unknown) => meaningOf({ predicateType, predicate });

describe('a review', () => {
  test.each<[string, unknown, Meaning]>([
    ['that approves', { ...review, decision: 'approved' }, 'affirmative'],
    ['that rejects', { ...review, decision: 'rejected' }, 'negative'],
    ['with a decision that nobody knows', { ...review, decision: 'maybe' }, 'negative'],
    ['that approves in other letters', { ...review, decision: 'Approved' }, 'negative'],
    ['with null for a decision', { ...review, decision: null }, 'negative'],
    ['that rejects and lacks all else', { decision: 'rejected' }, 'negative'],
    ['without a decision', review, 'unclear'],
    ['that approves and names nobody', { decision: 'approved' }, 'unclear'],
    ['that approves at no time', { ...review, decision: 'approved', review_timestamp: 'today' }, 'unclear'],
    ['that only inherits its decision', Object.assign(Object.create({ decision: 'approved' }), review), 'unclear'],
    ['that is null', null, 'unclear'],
    ['that is text', 'approved', 'unclear'],
    ['without a predicate', undefined, 'unclear'],
  ])('%s', (_title, predicate, meaning) => {
    expect(says(REVIEW, predicate)).toBe(meaning);
  });
});

describe('a run', () => {
  test.each<[string, unknown, Meaning]>([
    ['that nobody reviewed', run, 'affirmative'],
    ['that was approved', { ...run, human_review: { approved: true } }, 'affirmative'],
    ['of which a review is told without an answer', { ...run, human_review: {} }, 'affirmative'],
    ['that was not approved', { ...run, human_review: { approved: false } }, 'negative'],
    ['that was not approved in words', { ...run, human_review: { approved: 'no' } }, 'negative'],
    ['that was not approved in numbers', { ...run, human_review: { approved: 0 } }, 'negative'],
    ['that was not approved and lacks all else', { human_review: { approved: false } }, 'negative'],
    ['with null for an answer', { ...run, human_review: { approved: null } }, 'unclear'],
    ['without a commit', { ...run, git: {} }, 'unclear'],
    ['that is null', null, 'unclear'],
  ])('%s', (_title, predicate, meaning) => {
    expect(says(RUN, predicate)).toBe(meaning);
  });
});

test.each<[string, string, unknown, Meaning]>([
  ['a summary that passed', SUMMARY, { verificationResult: 'PASSED' }, 'affirmative'],
  ['one that failed', SUMMARY, { verificationResult: 'FAILED' }, 'negative'],
  ['one without a result', SUMMARY, {}, 'negative'],
  ['one in other letters', SUMMARY, { verificationResult: 'passed' }, 'negative'],
  ['an older one that passed', OLDER_SUMMARY, { verificationResult: 'PASSED' }, 'affirmative'],
  ['an older one that is null', OLDER_SUMMARY, null, 'negative'],
  ['a count of what passed', 'https://acme.example/tests/v1', { tests: 5, passed: 5, failed: 0 }, 'unclear'],
  ['a list of what passed', 'https://acme.example/tests/v1', { passed: ['a'], failed: [] }, 'unclear'],
  ['a count of what passed and failed', 'https://acme.example/tests/v1', { passed: 5, failed: 1 }, 'negative'],
  ['a count of what passed alone', 'https://acme.example/tests/v1', { passed: 3, total: 5 }, 'negative'],
  ['no test that passed', 'https://acme.example/tests/v1', { passed: 0, failed: 0 }, 'negative'],
  ['a test that passed', TEST, { result: 'PASSED' }, 'affirmative'],
  ['a test with warnings', TEST, { result: 'WARNED' }, 'affirmative'],
  ['a test that failed', TEST, { result: 'FAILED' }, 'negative'],
  ['a test with a list of results', TEST, { result: ['PASSED'] }, 'negative'],
  ['cosign’s image signature', 'https://sigstore.dev/cosign/sign/v1', {}, 'affirmative'],
  ['build provenance', 'https://slsa.dev/provenance/v1', {}, 'descriptive'],
  ['older build provenance', 'https://slsa.dev/provenance/v0.2', {}, 'descriptive'],
  ['an SBOM', 'https://cyclonedx.org/bom', {}, 'descriptive'],
  ['another SBOM', 'https://spdx.dev/Document', {}, 'descriptive'],
  ['what nobody knows', 'https://a.example/scan/v1', { result: 'PASSED', decision: 'approved' }, 'unclear'],
  ['a VEX document, which may say affected', 'https://openvex.dev/ns', {}, 'unclear'],
  ['the predicate type of an object', 'constructor', {}, 'unclear'],
])('%s', (_title, predicateType, predicate, meaning) => {
  expect(says(predicateType, predicate)).toBe(meaning);
});

test('types of a policy’s own are judged as ours where they are named', () => {
  const own = { reviewType: 'https://acme.example/review', runType: 'https://acme.example/run' };
  const said = (predicateType: string, predicate: unknown, types = {}) =>
    meaningOf({ predicateType, predicate }, types);
  expect(said(own.reviewType, { ...review, decision: 'approved' }, own)).toBe('affirmative');
  expect(said(own.reviewType, { ...review, decision: 'approved' })).toBe('unclear');
  expect(said(own.runType, run, own)).toBe('affirmative');
  expect(said(own.runType, run)).toBe('unclear');
});

test('what is about other statements says no yes', () => {
  for (const name of ['review-withdrawal', 'standing-negatives'] as const) {
    expect(isAffirmative(says(OWN_PREDICATES[name].typeOf('https://a.example'), {}))).toBe(false);
  }
});

test('a yes is affirmative or of a type that has no no', () => {
  const passing = (['affirmative', 'negative', 'descriptive', 'unclear'] as const).filter(isAffirmative);
  expect(passing).toEqual(['affirmative', 'descriptive']);
});

test('no predicate of an unknown type is a yes', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (name, predicate) => {
      expect(isAffirmative(says(`https://x.example/${name}#`, predicate))).toBe(false);
    }),
  );
});

describe('a yes beside which a no is said in another spelling is a no', () => {
  const approved = { decision: 'approved', human_reviewer: 'a@example.com', review_timestamp: '2026-11-20T10:00:00Z' };
  const odd = [
    { Decision: 'rejected' },
    { approved: false },
    { rejected: true },
    { review: { decision: 'rejected' } },
    { reviews: [{ state: 'CHANGES_REQUESTED' }] },
    { state: 'CHANGES_REQUESTED' },
    { event: 'REQUEST_CHANGES' },
    { review_state: 'changes requested' },
    { final_decision: 'Rejected' },
    { action: 'reject' },
    { review_result: 'FAILED' },
    { approved_by_reviewer: false },
    { is_ok: false },
    { ok: false },
    { veto: true },
    { status: 'rejected' },
    { vote: -1 },
    { lgtm: false },
  ];

  test.each(odd)('in a review: %j', (no) => {
    expect(meaningOf({ predicateType: 'https://a.example/agent-review/v1', predicate: { ...approved, ...no } })).toBe(
      'negative',
    );
    expect(meaningOf({ predicateType: 'https://a.example/agent-review/v2', predicate: no })).toBe('negative');
    expect(meaningOf({ predicateType: 'https://in-toto.io/attestation/human-review/v0.1', predicate: no })).toBe(
      'negative',
    );
  });

  test.each([{ state: null }, { verdict: null }, { look: false }, { book_ok: false }, { notes: 'not rejected' }])(
    'and in a review %j is none',
    (said) => {
      expect(says(REVIEW, { ...approved, ...said })).toBe('affirmative');
    },
  );

  test.each([
    { human_review: { approved: true, Approved: false } },
    { human_review: { rejected: true } },
    { human_review: { decision: 'rejected' } },
    { human_review: 'rejected' },
    { humanReview: { approved: false } },
    { decision: 'rejected' },
    { approved: false },
  ])('in a run: %j', (no) => {
    expect(meaningOf({ predicateType: 'https://a.example/agent-run/v1', predicate: no })).toBe('negative');
  });

  test.each([
    ['https://slsa.dev/verification_summary/v1', { verificationResult: 'PASSED', VerificationResult: 'FAILED' }],
    ['https://in-toto.io/attestation/test-result/v0.1', { result: 'PASSED', failed: true }],
  ])('in %s', (predicateType, predicate) => {
    expect(meaningOf({ predicateType, predicate })).toBe('negative');
  });

  test('and a count of nothing, a state of something else or a test with warnings is none', () => {
    const type = 'https://a.example/build/v1';
    expect(meaningOf({ predicateType: type, predicate: { failed: 0, state: 'done', rejected: [] } })).toBe('unclear');
    const warned = { result: 'WARNED', failedTests: [] };
    expect(meaningOf({ predicateType: 'https://in-toto.io/attestation/test-result/v0.1', predicate: warned })).toBe(
      'affirmative',
    );
  });
});
