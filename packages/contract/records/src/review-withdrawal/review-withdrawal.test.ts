import { describe, expect, it } from 'vitest';
import { parseStatement } from '../statement/parse-statement.ts';
import { createReviewWithdrawalStatement, parseReviewWithdrawal } from './review-withdrawal.ts';

const withdrawal = {
  rejection: 'a'.repeat(64),
  reason: 'bob left, and carol reviewed it again',
  withdrawn_at: '2026-11-22T10:00:00Z',
};
const subjects = [{ digest: { gitCommit: 'a'.repeat(40) } }];

const issuesOf = (value: unknown) => {
  const result = parseReviewWithdrawal(value);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
};

describe('parseReviewWithdrawal', () => {
  it('reads what names a rejection, a reason and a time', () => {
    expect(parseReviewWithdrawal(withdrawal)).toStrictEqual({ ok: true, value: withdrawal });
    expect(issuesOf({ ...withdrawal, reason: 'r'.repeat(1000), more: 1 })).toEqual([]);
  });

  it.each<[string, unknown, ...string[]]>([
    [
      'nothing',
      {},
      ...['rejection', 'reason', 'withdrawn_at'].map((name) => `/${name} review_withdrawal.field_missing`),
    ],
    ['a blank reason', { ...withdrawal, reason: ' \u200b' }, '/reason review_withdrawal.field_empty'],
    ['a reason that is a book', { ...withdrawal, reason: 'r'.repeat(1001) }, '/reason review_withdrawal.field_invalid'],
    [
      'a prefixed id',
      { ...withdrawal, rejection: `sha256:${'a'.repeat(64)}` },
      '/rejection review_withdrawal.field_invalid',
    ],
    ['an id in upper case', { ...withdrawal, rejection: 'A'.repeat(64) }, '/rejection review_withdrawal.field_invalid'],
    ['a list of ids', { ...withdrawal, rejection: ['a'.repeat(64)] }, '/rejection review_withdrawal.field_type'],
    [
      'another offset',
      { ...withdrawal, withdrawn_at: '2026-11-22T10:00:00+01:00' },
      '/withdrawn_at review_withdrawal.field_invalid',
    ],
    ['text', 'withdrawn', ' review_withdrawal.field_type'],
  ])('refuses %s', (_title, value, ...issues) => {
    expect(issuesOf(value)).toEqual(issues);
  });
});

describe('createReviewWithdrawalStatement', () => {
  it('makes a statement that is read back', () => {
    const statement = createReviewWithdrawalStatement({
      subjects,
      predicate: withdrawal,
      predicateBase: 'https://a.example/p',
    });
    expect(statement.predicateType).toBe('https://a.example/p/review-withdrawal/v1');
    expect(statement.subject).toEqual(subjects);
    const read = parseStatement(new TextEncoder().encode(JSON.stringify(statement)));
    expect(read.ok && parseReviewWithdrawal(read.value.predicate).ok).toBe(true);
  });

  it('makes none without a reason or a subject', () => {
    expect(() => createReviewWithdrawalStatement({ subjects: [], predicate: { ...withdrawal, reason: '' } })).toThrow(
      new TypeError('/subject: statement.field_empty; /reason: review_withdrawal.field_empty'),
    );
  });
});
