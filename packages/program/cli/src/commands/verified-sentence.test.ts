import { agentReviewType, agentRunType, type CertificateIdentity, fieldBasis, type Statement } from '@colophon/records';
import { expect, test } from 'vitest';
import { verifiedSentence } from './verified-sentence.ts';

const AGENT: CertificateIdentity = {
  issuer: 'https://issuer.example',
  subject: 'agent:code-writer',
  claims: { model_id: 'model-1', human_reviewer: 'alice@example.com' },
  sources: { model_id: 'witness-isolated' },
};
const ALICE: CertificateIdentity = {
  ...AGENT,
  subject: 'reviewer:alice@example.com',
  claims: { human_reviewer: 'alice@example.com' },
};

function recordOf(identity?: CertificateIdentity, predicateType?: string, predicate: object = {}, log_index = 3) {
  const statement: Statement | undefined =
    predicateType === undefined
      ? undefined
      : { _type: 'https://in-toto.io/Statement/v1', subject: [], predicateType, predicate };
  return {
    ok: true,
    artifact: 'report.txt',
    trusted_root: 'root.json',
    ...(identity && { certificate_identity: identity }),
    log_entry: { log_index, log_id: 'a'.repeat(64) },
    ...(statement && { statement }),
    basis: fieldBasis(identity, statement),
    checks: [],
  } as const;
}

function sentence(...of: Parameters<typeof recordOf>): string {
  return verifiedSentence([recordOf(...of)]);
}

const BY_AGENT = 'signed by agent:code-writer (issuer https://issuer.example), model';
const BY_ALICE = 'signed by reviewer:alice@example.com (issuer https://issuer.example),';

test.each([
  [`${BY_AGENT} model-1 (witness-isolated), reviewed by alice@example.com (declared),`, AGENT],
  [BY_ALICE, ALICE],
  ['signed by the key,', undefined],
])('a signature over a file: %s', (expected, identity) => {
  expect(sentence(identity)).toBe(`verified report.txt: ${expected} log index 3\n`);
});

test.each([
  ['model-2 (declared), reviewed by bob@example.com (declared),', { approved: true, reviewer: 'bob@example.com' }],
  ['model-2 (declared), not approved by bob@example.com (declared),', { approved: 'no', reviewer: 'bob@example.com' }],
  ['model-2 (declared), not approved by alice@example.com (declared),', { approved: false }],
])('what a run says of its model and its review: %s', (expected, human_review) => {
  expect(sentence(AGENT, agentRunType(), { model: { id: 'model-2' }, human_review })).toBe(
    `verified report.txt: agent run ${BY_AGENT} ${expected} log index 3\n`,
  );
});

test.each([
  ['approved by alice@example.com (review),', { decision: 'approved', human_reviewer: 'alice@example.com' }],
  ['rejected by alice@example.com (review),', { decision: 'rejected', human_reviewer: 'alice@example.com' }],
  ['rejected by bob@example.com (declared),', { decision: 'rejected', human_reviewer: 'bob@example.com' }],
  ['decision none,', {}],
  ['decision "not yet",', { decision: 'not yet' }],
])('what a review decided: %s', (expected, predicate) => {
  expect(sentence(ALICE, agentReviewType(), predicate)).toBe(
    `verified report.txt: review ${BY_ALICE} ${expected} log index 3\n`,
  );
});

test('a value cannot pretend to be more of the sentence', () => {
  const id = 'x (registry), approved by bob@example.com (review)\u001b[2K';
  const said = sentence(AGENT, agentRunType(), { model: { id }, human_review: { approved: false } });
  expect(said).toContain(
    'model "x (registry), approved by bob@example.com (review)\\u001b[2K" (declared), not approved',
  );
});

test('a statement of others is named by its type', () => {
  expect(sentence(AGENT, 'https://example.com/made/v1', { human_review: { approved: false } })).toContain(
    'report.txt: statement https://example.com/made/v1 signed by agent:code-writer',
  );
});

test('several signatures are one sentence, with what differs named once each', () => {
  const other = { ...AGENT, claims: { model_id: 'model-2' } };
  expect(verifiedSentence([AGENT, AGENT, other].map((one, index) => recordOf(one, undefined, {}, index)))).toBe(
    'verified report.txt: 3 signatures by agent:code-writer (issuer https://issuer.example), model model-1 (witness-isolated) and model-2 (witness-isolated), reviewed by alice@example.com (declared), log index 0, 1, 2\n',
  );
});

test('a rejection among several reviews is told', () => {
  const reviews = ['approved', 'rejected'].map((decision) => recordOf(ALICE, agentReviewType(), { decision }));
  expect(verifiedSentence(reviews)).toContain(
    'report.txt: 2 reviews signed by reviewer:alice@example.com (issuer https://issuer.example), approved and rejected, log',
  );
});

test('signatures of several signers name each once, and statements of several types each type', () => {
  const records = [recordOf(AGENT, agentRunType()), recordOf(ALICE, agentReviewType(), { decision: 'approved' })];
  expect(verifiedSentence(records)).toMatch(
    /report.txt: agent run and review signed by agent:code-writer \(issuer \S+\) and reviewer:alice@example.com \(issuer \S+\),/,
  );
});
