import { reviewWithdrawalType, type Statement, standingNegativesType } from '@colophon/records';
import { meaningOf, type OwnTypes } from '../meaning/meaning.ts';

const WITHDRAWAL_ENDING = reviewWithdrawalType('');
const LIST_ENDING = standingNegativesType('');

/** True for the predicate type by which somebody takes a rejection back. */
export function isWithdrawalType(predicateType: string): boolean {
  return predicateType.endsWith(WITHDRAWAL_ENDING);
}

/**
 * True where a statement says no to what it is about: a review that is no approval, a run that the person asked did not
 * approve, a failed verification or test. Who says it, and whether that counts, is the policy's question.
 */
export function isNegativeStatement(statement: Statement, own: OwnTypes = {}): boolean {
  return meaningOf(statement, own) === 'negative';
}

/** True for a statement about other statements: it says nothing of its own about an image. */
export function isAboutStatements({ predicateType }: Statement): boolean {
  return isWithdrawalType(predicateType) || predicateType.endsWith(LIST_ENDING);
}
