import type { Statement } from '@colophon/records';
import { expect, test } from 'vitest';
import { isRunType, isWithdrawalType } from '../meaning/meaning.ts';
import { isAboutStatements, isNegativeStatement } from './negative-statement.ts';

const says = (predicateType: string, predicate: unknown) => ({ predicateType, predicate }) as Statement;

test.each<[string, string, unknown, boolean]>([
  ['a rejection', 'https://a.example/agent-review/v1', { decision: 'rejected' }, true],
  ['an approval', 'https://a.example/agent-review/v1', { decision: 'approved' }, false],
  ['a run that was not approved', 'https://a.example/agent-run/v1', { human_review: { approved: false } }, true],
  ['a run', 'https://a.example/agent-run/v1', { human_review: null }, false],
  ['a run without a predicate', 'https://a.example/agent-run/v1', null, false],
  ['a failed verification', 'https://slsa.dev/verification_summary/v1', { verificationResult: 'FAILED' }, true],
  ['one without a result', 'https://slsa.dev/verification_summary/v0.2', null, true],
  ['one that passed', 'https://slsa.dev/verification_summary/v0.2', { verificationResult: 'PASSED' }, false],
  ['a failed test', 'https://in-toto.io/attestation/test-result/v0.1', { result: 'FAILED' }, true],
  ['a test with warnings', 'https://in-toto.io/attestation/test-result/v0.1', { result: 'WARNED' }, false],
  ['a test that passed', 'https://in-toto.io/attestation/test-result/v0.1', { result: 'PASSED' }, false],
  ['a review in a later version', 'https://a.example/agent-review/v2', { decision: 'rejected' }, true],
  ['a decision of a type that nobody knows', 'https://a.example/x', { decision: 'rejected' }, true],
  ['a result of such a type', 'https://a.example/x', { result: 'FAILED' }, true],
  ['a result that is no word', 'https://a.example/x', { result: ['PASSED'] }, true],
  ['a result in other letters', 'https://a.example/x', { Verification_Result: 'maybe' }, true],
  ['a decision in a review of such a type', 'https://a.example/x', { review: { Decision: 'no' } }, true],
  ['a run of such a type', 'https://a.example/x', { human_review: { approved: false } }, true],
  ['a rejection that is true', 'https://a.example/x', { rejected: true }, true],
  ['a rejection that is not', 'https://a.example/x', { rejected: false }, false],
  [
    'a decision that is a clear yes',
    'https://a.example/x',
    { decision: 'Approved', result: 'ok', passed: true },
    false,
  ],
  ['a yes and a no', 'https://a.example/x', { decision: 'approved', result: 'FAILED' }, true],
  ['no verdict', 'https://a.example/x', { comment: 'no', review: 'no', human_review: null }, false],
  ['no predicate', 'https://a.example/x', null, false],
  ['text', 'https://a.example/x', 'rejected', false],
  ['a list', 'https://a.example/x', [{ decision: 'rejected' }], false],
  [
    'an approval that says no beside it',
    'https://a.example/agent-review/v1',
    { decision: 'approved', Decision: 'no' },
    true,
  ],
  ['a review whose decision has a capital', 'https://a.example/agent-review/v1', { Decision: 'rejected' }, true],
  ['an SBOM', 'https://cyclonedx.org/bom', { decision: 'rejected' }, false],
  ['a withdrawal', 'https://a.example/review-withdrawal/v1', { decision: 'rejected' }, false],
])('%s', (_title, predicateType, predicate, expected) => {
  expect(isNegativeStatement(says(predicateType, predicate))).toBe(expected);
});

test('types of a policy’s own count where they are named', () => {
  const review = says('https://acme.example/review', { decision: 'APPROVED' });
  const run = says('https://acme.example/run', { human_review: { approved: 'yes' } });
  expect([isNegativeStatement(review), isNegativeStatement(run)]).toEqual([false, false]);
  const own = { reviewType: 'https://acme.example/review', runType: 'https://acme.example/run' };
  expect([isNegativeStatement(review, own), isNegativeStatement(run, own)]).toEqual([true, true]);
  expect(isRunType('https://acme.example/run', own.runType)).toBe(true);
  expect(isRunType('agent-run/v1')).toBe(false);
});

test('withdrawals and lists are about other statements', () => {
  expect(isWithdrawalType('https://a.example/review-withdrawal/v1')).toBe(true);
  expect(isAboutStatements(says('https://a.example/review-withdrawal/v1', {}))).toBe(true);
  for (const version of ['v1', 'v2', 'v10']) {
    expect(isAboutStatements(says(`https://a.example/standing-negatives/${version}`, {}))).toBe(true);
  }
  for (const type of ['standing-negatives/v', 'standing-negatives/v1/x', 'x-standing-negatives/v1']) {
    expect(isAboutStatements(says(`https://a.example/${type}`, {}))).toBe(false);
  }
  expect(isAboutStatements(says('https://a.example/agent-review/v1', {}))).toBe(false);
});
