/** Names of members that hold a verdict, in lower case and without what joins words. */
const VERDICT_NAMES: ReadonlySet<string> = new Set([
  ...['decision', 'verdict', 'result', 'outcome', 'conclusion', 'verificationresult'],
  ...['approved', 'approval', 'accepted', 'passed'],
]);
/** Names that hold a verdict in a review, and elsewhere say how far something is. */
const NAMES_IN_REVIEWS: ReadonlySet<string> = new Set(['status', 'state', 'vote', 'approve', 'isapproved', 'lgtm']);
/** Members that say no by being there. */
const NO_NAMES: ReadonlySet<string> = new Set([
  ...['rejected', 'reject', 'denied', 'refused', 'failed', 'vetoed', 'veto'],
]);
/** All that is a clear no in a review, whatever its member is called; without what joins words. */
const NO_WORDS: ReadonlySet<string> = new Set([
  ...['reject', 'rejected', 'deny', 'denied', 'decline', 'declined', 'refuse', 'refused', 'veto', 'vetoed'],
  ...['fail', 'failed', 'block', 'blocked', 'disapprove', 'disapproved', 'unapproved', 'notapproved'],
  ...['requestchanges', 'changesrequested'],
]);
/** All that is a clear yes; what is not on it is none. */
const YES_WORDS: ReadonlySet<unknown> = new Set([
  ...[true, 'true', 'yes', 'ok', 'approve', 'approved', 'accept', 'accepted', 'pass', 'passed'],
  ...['success', 'successful', 'succeeded', 'lgtm'],
]);
/** Members that hold somebody's review of what the rest is about. */
const REVIEW_NAMES: ReadonlySet<string> = new Set(['review', 'reviews', 'humanreview', 'humanreviews']);

/**
 * True where a predicate has a verdict that is no clear yes, in whatever spelling of its name: what is said twice, and once
 * otherwise, is none. Null is no verdict, and a count of 0 none that failed.
 * @param isReview whether the whole is somebody's review
 */
export function hasUnclearVerdict(predicate: unknown, isReview = false): boolean {
  if (Array.isArray(predicate)) return isReview && predicate.some((one) => hasUnclearVerdict(one, true));
  if (typeof predicate !== 'object' || predicate === null) return false;
  const members = Object.entries(predicate);
  const saysWhatFailed = members.some(([written]) => lettersOf(written) === 'failed');
  return members.some(([written, value]) => {
    const name = lettersOf(written);
    if (REVIEW_NAMES.has(name)) return hasUnclearVerdict(value, true);
    if (value === null) return false;
    if (isReview && typeof value === 'string' && NO_WORDS.has(lettersOf(value))) return true;
    if (isReview && value === false && /^(?:is)?(?:approved|accepted|ok)/.test(name)) return true;
    // How many passed, or which, and not whether, where what failed stands beside it.
    if (name === 'passed' && saysWhatFailed && isSome(value)) return false;
    if (NO_NAMES.has(name)) return value !== false && value !== 0 && !isEmpty(value);
    const isVerdict = VERDICT_NAMES.has(name) || (isReview && NAMES_IN_REVIEWS.has(name));
    return isVerdict && !YES_WORDS.has(typeof value === 'string' ? value.toLowerCase() : value);
  });
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/g, '');
}

/** True for a count of something, or a list of it. */
function isSome(value: unknown): boolean {
  return typeof value === 'number' ? value > 0 : Array.isArray(value) && value.length > 0;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
