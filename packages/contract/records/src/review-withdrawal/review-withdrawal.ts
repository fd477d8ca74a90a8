import type { ParseResult } from '@colophon/json';
import type { XStatic } from 'typebox/schema';
import { reviewWithdrawalType } from '../predicate-type/predicate-type.ts';
import { checkRecord } from '../record-schema/record-check.ts';
import { createStatement } from '../statement/create-statement.ts';
import type { Statement, Subject } from '../statement/statement.ts';
import { reviewWithdrawalSchema } from './review-withdrawal-schema.ts';

const SOURCE = 'docs/admission.md#withdrawing-a-rejection';

/** The predicate of a review-withdrawal statement: which rejection is taken back, why and when. */
export type ReviewWithdrawal = XStatic<typeof reviewWithdrawalSchema>;

/**
 * Reads the predicate of a review-withdrawal statement. Whether its signer may withdraw is for a policy to say.
 *
 * @returns the predicate as it is, or every issue at once, with codes `review_withdrawal.*`.
 */
export function parseReviewWithdrawal(value: unknown): ParseResult<ReviewWithdrawal> {
  const issues = checkRecord('review_withdrawal', reviewWithdrawalSchema, value, SOURCE);
  return issues.length === 0 ? { ok: true, value: value as ReviewWithdrawal } : { ok: false, issues };
}

/**
 * The Statement v1 that takes a rejection back; `subjects` are those of the rejection.
 *
 * @throws TypeError where it would not be read back, with the path and code of every issue.
 */
export function createReviewWithdrawalStatement(withdrawal: {
  readonly subjects: readonly Subject[];
  readonly predicate: ReviewWithdrawal;
  readonly predicateBase?: string;
}): Statement<ReviewWithdrawal> {
  const { subjects, predicate, predicateBase } = withdrawal;
  const parsed = parseReviewWithdrawal(predicate);
  const issues = parsed.ok ? [] : parsed.issues;
  return createStatement({ subjects, predicateType: reviewWithdrawalType(predicateBase), predicate }, issues);
}
