import {
  agentReviewType,
  parseStatement,
  REVIEW_SERVICE_PREFIX,
  REVIEWER_PREFIX,
  typesUnder,
  type VerifiedSignature,
} from '@colophon/records';
import {
  createIdentityPolicy,
  type IdentityPolicy,
  type IdentityPolicyOptions,
  parseBundle,
  type TrustMaterial,
  verifyBundle,
} from '@colophon/sigstore';
import { findEntries } from './stored-entries.ts';

/** Commits in one question: it has a longest length. */
const COMMITS_AT_ONCE = 50;

/** RE2: every reviewer and every review service. */
const REVIEWERS = `(?:${REVIEWER_PREFIX}|${REVIEW_SERVICE_PREFIX}).+`;

/**
 * Whose reviews count: those of every reviewer and review service of the issuer that is pinned. What is pinned of the
 * agent's own certificate (subject, trigger, repository) says nothing of a reviewer's.
 * @throws IdentityPolicyError where no issuer is pinned
 */
export function reviewerPolicy(pinned: Pick<IdentityPolicyOptions, 'issuer' | 'issuerRegExp'>): IdentityPolicy {
  return createIdentityPolicy({ subjectRegExp: REVIEWERS, ...pinned });
}

/** Whether a bundle says that it holds a review; nothing of it is verified. @throws VerificationError `bundle.*` */
export function isReviewBundle(bundle: Uint8Array, predicateBase: string): boolean {
  const { content } = parseBundle(bundle);
  if (content.$case !== 'dsseEnvelope') return false;
  const parsed = parseStatement(content.dsseEnvelope.payload);
  return parsed.ok && typesUnder(predicateBase, agentReviewType).includes(parsed.value.predicateType);
}

/** Verifies the bundle of a review here, whatever a server said of it. @throws VerificationError */
export function verifyReview(
  bundle: Uint8Array,
  { trust, policy }: { readonly trust: TrustMaterial; readonly policy: IdentityPolicy },
): VerifiedSignature {
  const predicateType = typesUnder(trust.namespace.predicateBase, agentReviewType);
  return verifyBundle({ bundle, trust, policy, predicateType }).signature;
}

/**
 * The ids of all that reviewers and review services signed of these commits: approvals, rejections, and what may turn out
 * to be neither.
 * @throws EvidenceClientError as findEntries
 */
export async function findReviews(server: string, commits: readonly string[]): Promise<readonly string[]> {
  const all = [...new Set(commits)].sort();
  const ids = new Set<string>();
  for (let from = 0; from < all.length; from += COMMITS_AT_ONCE) {
    const some = all.slice(from, from + COMMITS_AT_ONCE).join(', ');
    const condition = `kind in (review, review-claim) and subject ~ "${REVIEWERS}" and commit in (${some})`;
    for (const id of await findEntries(server, 'entries', condition)) ids.add(id);
  }
  return [...ids];
}
