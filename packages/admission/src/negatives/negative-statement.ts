import { agentRunType, reviewWithdrawalType, type Statement, standingNegativesType } from '@colophon/records';
import { isNegativeReview } from '../rejection/rejection.ts';
import { isReviewType } from '../review-type/review-type.ts';

/** Predicate types that a policy names itself, beside those of every base. */
export type OwnTypes = { readonly reviewType?: string; readonly runType?: string };

const RUN_ENDING = agentRunType('');
const WITHDRAWAL_ENDING = reviewWithdrawalType('');
const LIST_ENDING = standingNegativesType('');

/** Others' verdicts: the member that holds the verdict, and the values that are no refusal. */
const VERDICTS: ReadonlyMap<string, readonly [member: string, good: readonly string[]]> = new Map([
  ['https://slsa.dev/verification_summary/v1', ['verificationResult', ['PASSED']]],
  ['https://slsa.dev/verification_summary/v0.2', ['verificationResult', ['PASSED']]],
  ['https://in-toto.io/attestation/test-result/v0.1', ['result', ['PASSED', 'WARNED']]],
]);

/** True for the predicate type of a run, under whatever base. */
export function isRunType(predicateType: string, ownType?: string): boolean {
  return predicateType === ownType || predicateType.endsWith(RUN_ENDING);
}

/** True for the predicate type by which somebody takes a rejection back. */
export function isWithdrawalType(predicateType: string): boolean {
  return predicateType.endsWith(WITHDRAWAL_ENDING);
}

/**
 * True where a statement says no to what it is about: a review that is no approval, a run that the person asked did not
 * approve, a failed verification or test. Who says it, and whether that counts, is the policy's question.
 */
export function isNegativeStatement({ predicateType, predicate }: Statement, own: OwnTypes = {}): boolean {
  if (isReviewType(predicateType, own.reviewType)) return isNegativeReview(predicate);
  if (isRunType(predicateType, own.runType)) return approvedOf(predicate) === false;
  const verdict = VERDICTS.get(predicateType);
  if (verdict === undefined) return false;
  const [member, good] = verdict;
  return !good.includes((predicate as Record<string, unknown> | null)?.[member] as string);
}

/** True for a statement about other statements: it says nothing of its own about an image. */
export function isAboutStatements({ predicateType }: Statement): boolean {
  return isWithdrawalType(predicateType) || predicateType.endsWith(LIST_ENDING);
}

function approvedOf(predicate: unknown): unknown {
  return (predicate as { human_review?: { approved?: unknown } | null } | null | undefined)?.human_review?.approved;
}
