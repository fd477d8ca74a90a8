import type { Statement } from '@colophon/records';
import { expect, test } from 'vitest';
import { isRunType } from '../meaning/meaning.ts';
import { isAboutStatements, isNegativeStatement, isWithdrawalType } from './negative-statement.ts';

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
  ['anything else', 'https://a.example/x', { decision: 'rejected', result: 'FAILED' }, false],
])('%s', (_title, predicateType, predicate, expected) => {
  expect(isNegativeStatement(says(predicateType, predicate))).toBe(expected);
});

test('types of a policy’s own count where they are named', () => {
  const review = says('https://acme.example/review', { decision: 'no' });
  const run = says('https://acme.example/run', { human_review: { approved: false } });
  expect([isNegativeStatement(review), isNegativeStatement(run)]).toEqual([false, false]);
  const own = { reviewType: 'https://acme.example/review', runType: 'https://acme.example/run' };
  expect([isNegativeStatement(review, own), isNegativeStatement(run, own)]).toEqual([true, true]);
  expect(isRunType('https://acme.example/run', own.runType)).toBe(true);
  expect(isRunType('agent-run/v1')).toBe(false);
});

test('withdrawals and lists are about other statements', () => {
  expect(isWithdrawalType('https://a.example/review-withdrawal/v1')).toBe(true);
  expect(isAboutStatements(says('https://a.example/review-withdrawal/v1', {}))).toBe(true);
  expect(isAboutStatements(says('https://a.example/standing-negatives/v1', {}))).toBe(true);
  expect(isAboutStatements(says('https://a.example/agent-review/v1', {}))).toBe(false);
});
