import { isStandingNegativesType, type Statement } from '@colophon/records';
import { isWithdrawalType, meaningOf, type OwnTypes } from '../meaning/meaning.ts';

/**
 * True where a statement may say no to what it is about: a review that is no clear yes, a run that the person asked did not
 * approve, a failed verification or test, a statement of another type with a verdict that is no clear yes. Who says it, and
 * whether that counts, is the policy's question.
 */
export function isNegativeStatement(
  statement: Pick<Statement, 'predicateType' | 'predicate'>,
  own: OwnTypes = {},
): boolean {
  return meaningOf(statement, own) === 'negative';
}

/** True for a statement about other statements: it says nothing of its own about an image. */
export function isAboutStatements({ predicateType }: Pick<Statement, 'predicateType'>): boolean {
  return isWithdrawalType(predicateType) || isStandingNegativesType(predicateType);
}
