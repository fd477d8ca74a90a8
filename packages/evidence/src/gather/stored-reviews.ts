import { isNegativeStatement, isReviewType } from '@colophon/admission';
import {
  agentReviewType,
  certifiedAddress,
  isAgentRunType,
  parseStatement,
  REVIEW_SERVICE_PREFIX,
  REVIEWER_PREFIX,
  type Statement,
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
/** Of what is in a store, all that can be a no, reviews first; a run is about its own commit. */
const WORDS = ['kind in (review, review-claim)', 'kind = attestation'];

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
  const type = statementIn(bundle)?.predicateType;
  return type !== undefined && typesUnder(predicateBase, agentReviewType).includes(type);
}

/** Whose reviews count, beside those of a policy: people with an e-mail certificate of exactly this issuer. */
export type ReviewTrust = {
  readonly trust: TrustMaterial;
  readonly policy: IdentityPolicy;
  readonly peopleIssuer?: string | undefined;
};

/** Whether a bundle says that it holds a review or a no; nothing of it is verified. @throws VerificationError `bundle.*` */
export function isWordBundle(bundle: Uint8Array): boolean {
  const statement = statementIn(bundle);
  return statement !== undefined && (isReviewType(statement.predicateType) || isNegativeStatement(statement));
}

function statementIn(bundle: Uint8Array): Statement | undefined {
  const { content } = parseBundle(bundle);
  if (content.$case !== 'dsseEnvelope') return undefined;
  const parsed = parseStatement(content.dsseEnvelope.payload);
  return parsed.ok ? parsed.value : undefined;
}

/**
 * Verifies here, whatever a server said of it, what a store holds about a commit: a no of whatever type and by whomever, else a
 * review that counts; undefined for everything else.
 * @throws VerificationError
 */
export function verifyWord(bundle: Uint8Array, reviewers: ReviewTrust): VerifiedSignature | undefined {
  const { trust } = reviewers;
  const { signature } = verifyBundle({ bundle, trust, policy: 'gated-elsewhere' });
  const { statement, certificate_identity: identity } = signature;
  if (statement === undefined) return undefined;
  if (isNegativeStatement(statement)) return signature;
  const isReviewers = [REVIEWER_PREFIX, REVIEW_SERVICE_PREFIX].some((prefix) => identity.subject.startsWith(prefix));
  const isOurs =
    isReviewBundle(bundle, trust.namespace.predicateBase) && (isReviewers || isByPerson(signature, reviewers));
  // A run was not asked for: the store did not give what it was asked.
  return isOurs || isAgentRunType(statement.predicateType) ? verifyReview(bundle, reviewers) : undefined;
}

/** Verifies the bundle of a review here, whatever a server said of it. @throws VerificationError */
export function verifyReview(bundle: Uint8Array, reviewers: ReviewTrust): VerifiedSignature {
  const { trust, policy } = reviewers;
  const predicateType = typesUnder(trust.namespace.predicateBase, agentReviewType);
  if (reviewers.peopleIssuer !== undefined) {
    const { signature } = verifyBundle({ bundle, trust, policy: 'gated-elsewhere', predicateType });
    if (isByPerson(signature, reviewers)) return signature;
  }
  return verifyBundle({ bundle, trust, policy, predicateType }).signature;
}

function isByPerson({ certificate_identity: identity }: VerifiedSignature, { peopleIssuer }: ReviewTrust): boolean {
  return identity.issuer === peopleIssuer && certifiedAddress(identity) !== undefined;
}

/**
 * The ids of all that may be a word about these commits, by whomever and whatever it is called: approvals, rejections, and
 * what may turn out to be neither.
 * @throws EvidenceClientError as findEntries
 */
export async function findWords(server: string, commits: readonly string[]): Promise<readonly string[]> {
  const all = [...new Set(commits)].sort();
  const ids = new Set<string>();
  for (let from = 0; from < all.length; from += COMMITS_AT_ONCE) {
    const some = all.slice(from, from + COMMITS_AT_ONCE).join(', ');
    for (const kinds of WORDS) {
      for (const id of await findEntries(server, 'entries', `${kinds} and commit in (${some})`)) ids.add(id);
    }
  }
  return [...ids];
}
