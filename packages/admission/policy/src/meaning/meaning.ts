import {
  agentRunType,
  isStandingNegativesType,
  parseAgentReview,
  parseAgentRun,
  reviewWithdrawalType,
  SLSA_PROVENANCE_TYPE,
  type Statement,
} from '@colophon/records';
import { isReviewType } from '../review-type/review-type.ts';
import { hasUnclearVerdict } from './unclear-verdict.ts';

/** Predicate types that a policy names itself, beside those of every base. */
export type OwnTypes = { readonly reviewType?: string; readonly runType?: string };

/**
 * What a statement says about its subject, whoever signed it. `descriptive`: its type describes and cannot say no, as an SBOM
 * does. `unclear`: of no type that we know, or not what its type promises; that is no yes.
 */
export const MEANINGS = ['affirmative', 'negative', 'descriptive', 'unclear'] as const;
export type Meaning = (typeof MEANINGS)[number];

const RUN_ENDING = agentRunType('');
const WITHDRAWAL_ENDING = reviewWithdrawalType('');
/** Reviews of other versions and of other makers. */
const LIKE_A_REVIEW = /(?:^|[/-])review(?:\/|$)/i;

/** Others' verdicts: the member that holds the verdict, and the values that are no refusal. */
const VERDICTS: ReadonlyMap<string, readonly [member: string, good: readonly unknown[]]> = new Map([
  ['https://slsa.dev/verification_summary/v1', ['verificationResult', ['PASSED']]],
  ['https://slsa.dev/verification_summary/v0.2', ['verificationResult', ['PASSED']]],
  ['https://in-toto.io/attestation/test-result/v0.1', ['result', ['PASSED', 'WARNED']]],
]);

/** Image signature as cosign writes it in a bundle: a statement that says nothing but that it is signed. */
const COSIGN_SIGNATURE_TYPE = 'https://sigstore.dev/cosign/sign/v1';

/** Types of which no statement can say no to its subject. */
const DESCRIPTIVE: ReadonlySet<string> = new Set([
  SLSA_PROVENANCE_TYPE,
  'https://slsa.dev/provenance/v0.2',
  'https://spdx.dev/Document',
  'https://cyclonedx.org/bom',
]);

/** True for the predicate type of a run, under whatever base. */
export function isRunType(predicateType: string, ownType?: string): boolean {
  return predicateType === ownType || predicateType.endsWith(RUN_ENDING);
}

/**
 * What a statement says: the one judgement of yes and no. A review says yes by the decision `approved`, a run by not being
 * disapproved, others' verdicts by a value that passes; a review or run has to be what its type promises too. Whether its
 * signer counts is the caller's question, and so is a review without a decision, which the contract lets pass.
 * @see contract §2.3, §2.4
 */
export function meaningOf(
  { predicateType, predicate }: Pick<Statement, 'predicateType' | 'predicate'>,
  own: OwnTypes = {},
): Meaning {
  if (isReviewType(predicateType, own.reviewType)) return meaningOfReview(predicate);
  if (isRunType(predicateType, own.runType)) return meaningOfRun(predicate);
  const verdict = VERDICTS.get(predicateType);
  if (verdict !== undefined) {
    const [member, good] = verdict;
    if (!good.includes(memberOf(predicate, member))) return 'negative';
    const { [member]: _, ...others } = predicate as Record<string, unknown>;
    return hasUnclearVerdict(others) ? 'negative' : 'affirmative';
  }
  if (predicateType === COSIGN_SIGNATURE_TYPE) return 'affirmative';
  if (DESCRIPTIVE.has(predicateType)) return 'descriptive';
  if (isWithdrawalType(predicateType) || isStandingNegativesType(predicateType)) return 'unclear';
  return hasUnclearVerdict(predicate, LIKE_A_REVIEW.test(predicateType)) ? 'negative' : 'unclear';
}

/** True for the predicate type by which somebody takes a rejection back. */
export function isWithdrawalType(predicateType: string): boolean {
  return predicateType.endsWith(WITHDRAWAL_ENDING);
}

/** True for what may pass where a yes is asked for. */
export function isAffirmative(meaning: Meaning): boolean {
  return meaning === 'affirmative' || meaning === 'descriptive';
}

/**
 * True for what says yes in so many words, and so ends a no where no policy says what does: a review without a decision may let
 * an image pass, and ends none.
 */
export function isWholeYes({ statement }: { readonly statement?: Statement | undefined }): boolean {
  return statement !== undefined && meaningOf(statement) === 'affirmative';
}

/**
 * True for the predicate of a review with a decision that is not exactly `approved`, however it is spelled, or with another
 * verdict beside it that is no clear yes.
 */
export function isNegativeReview(predicate: unknown): boolean {
  if (typeof predicate !== 'object' || predicate === null) return false;
  const isDecided = Object.hasOwn(predicate, 'decision');
  if (isDecided && (predicate as { decision: unknown }).decision !== 'approved') return true;
  return hasUnclearVerdict(predicate, true);
}

function meaningOfReview(predicate: unknown): Meaning {
  if (isNegativeReview(predicate)) return 'negative';
  return memberOf(predicate, 'decision') === 'approved' && parseAgentReview(predicate).ok ? 'affirmative' : 'unclear';
}

function meaningOfRun(predicate: unknown): Meaning {
  const review = memberOf(predicate, 'human_review');
  const approved = memberOf(review, 'approved');
  // What is neither true nor absent is no approval, however it is written.
  if (approved !== undefined && approved !== null && approved !== true) return 'negative';
  if (review !== undefined && review !== null && typeof review !== 'object') return 'negative';
  if (hasUnclearVerdict(predicate)) return 'negative';
  return parseAgentRun(predicate).ok ? 'affirmative' : 'unclear';
}

function memberOf(of: unknown, name: string): unknown {
  if (typeof of !== 'object' || of === null || !Object.hasOwn(of, name)) return undefined;
  return (of as Record<string, unknown>)[name];
}
