import {
  agentReviewType,
  certifiedAddress,
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

/** Whose reviews count, beside those of a policy: people with an e-mail certificate of exactly this issuer. */
export type ReviewTrust = {
  readonly trust: TrustMaterial;
  readonly policy: IdentityPolicy;
  readonly peopleIssuer?: string | undefined;
};

/** Verifies the bundle of a review here, whatever a server said of it. @throws VerificationError */
export function verifyReview(bundle: Uint8Array, { trust, policy, peopleIssuer }: ReviewTrust): VerifiedSignature {
  const predicateType = typesUnder(trust.namespace.predicateBase, agentReviewType);
  if (peopleIssuer !== undefined) {
    const { signature } = verifyBundle({ bundle, trust, policy: 'gated-elsewhere', predicateType });
    const { certificate_identity: identity } = signature;
    if (identity.issuer === peopleIssuer && certifiedAddress(identity) !== undefined) return signature;
  }
  return verifyBundle({ bundle, trust, policy, predicateType }).signature;
}

/**
 * The ids of all that reviewers and review services signed of these commits: approvals, rejections, and what may turn out
 * to be neither.
 * @param peopleIssuer also the reviews of people with an e-mail certificate of this issuer
 * @throws EvidenceClientError as findEntries
 */
export async function findReviews(
  server: string,
  commits: readonly string[],
  peopleIssuer?: string,
): Promise<readonly string[]> {
  const all = [...new Set(commits)].sort();
  const ids = new Set<string>();
  for (let from = 0; from < all.length; from += COMMITS_AT_ONCE) {
    const some = all.slice(from, from + COMMITS_AT_ONCE).join(', ');
    const conditions = [
      `kind in (review, review-claim) and subject ~ "${REVIEWERS}" and commit in (${some})`,
      ...(peopleIssuer === undefined ? [] : [`kind = review and issuer = "${peopleIssuer}" and commit in (${some})`]),
    ];
    for (const one of conditions) for (const id of await findEntries(server, 'entries', one)) ids.add(id);
  }
  return [...ids];
}
