import { agentReviewType } from '@colophon/records';

const REVIEW_ENDING = agentReviewType('');

/** True for the predicate type of a review, under whatever base, and for `ownType`, as a policy may name one. */
export function isReviewType(predicateType: string, ownType?: string): boolean {
  return predicateType === ownType || predicateType.endsWith(REVIEW_ENDING);
}
