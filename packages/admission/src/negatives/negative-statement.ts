import { isStandingNegativesType, reviewWithdrawalType, type Statement } from '@colophon/records';
import { isRunType, meaningOf, type OwnTypes } from '../meaning/meaning.ts';
import { isReviewType } from '../review-type/review-type.ts';

const WITHDRAWAL_ENDING = reviewWithdrawalType('');

/** True for the predicate type by which somebody takes a rejection back. */
export function isWithdrawalType(predicateType: string): boolean {
  return predicateType.endsWith(WITHDRAWAL_ENDING);
}

/** Names of members that hold a verdict, in lower case and without what joins words. */
const VERDICT_NAMES: ReadonlySet<string> = new Set([
  ...['decision', 'verdict', 'result', 'outcome', 'conclusion', 'verificationresult'],
  ...['approved', 'approval', 'accepted', 'passed'],
]);
/** Members that say no by being true. */
const NO_NAMES: ReadonlySet<string> = new Set(['rejected', 'denied', 'refused', 'failed', 'vetoed']);
/** All that is a clear yes; what is not on it is none. */
const YES_WORDS: ReadonlySet<unknown> = new Set([
  ...[true, 'true', 'yes', 'ok', 'approve', 'approved', 'accept', 'accepted', 'pass', 'passed'],
  ...['success', 'successful', 'succeeded', 'lgtm'],
]);
/** Members that hold somebody's review of what the rest is about. */
const REVIEW_NAMES: ReadonlySet<string> = new Set(['review', 'humanreview']);

/**
 * True where a statement may say no to what it is about: a review that is no clear yes, a run that the person asked did not
 * approve, a failed verification or test, a statement of another type with a verdict that is no clear yes. Who says it, and
 * whether that counts, is the policy's question.
 */
export function isNegativeStatement(
  statement: Pick<Statement, 'predicateType' | 'predicate'>,
  own: OwnTypes = {},
): boolean {
  const meaning = meaningOf(statement, own);
  if (meaning === 'negative') return true;
  const { predicateType, predicate } = statement;
  // What is said twice, in two spellings of one member, is no clear yes.
  const isReview = isReviewType(predicateType, own.reviewType);
  if (!isReview && (meaning !== 'unclear' || isRunType(predicateType, own.runType))) return false;
  return !isAboutStatements(statement) && isObject(predicate) && hasUnclearVerdict(predicate);
}

function hasUnclearVerdict(predicate: object): boolean {
  return Object.entries(predicate).some(([written, value]) => {
    const name = written.toLowerCase().replace(/[^a-z]/g, '');
    if (REVIEW_NAMES.has(name) && isObject(value)) return hasUnclearVerdict(value);
    if (NO_NAMES.has(name)) return value !== false;
    return VERDICT_NAMES.has(name) && !YES_WORDS.has(typeof value === 'string' ? value.toLowerCase() : value);
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a statement about other statements: it says nothing of its own about an image. */
export function isAboutStatements({ predicateType }: Pick<Statement, 'predicateType'>): boolean {
  return isWithdrawalType(predicateType) || isStandingNegativesType(predicateType);
}
