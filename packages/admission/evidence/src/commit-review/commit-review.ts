import {
  approvalOf,
  isWholeYes,
  mayBeOnePerson,
  type ReviewWord,
  rejectionOf,
  takesBackOfCommit,
  withCopies,
} from '@colophon/admission';
import { compareTexts } from '@colophon/notation';
import {
  type Basis,
  basisOf,
  type CertificateIdentity,
  isPersonAddress,
  isReviewersOwn,
  type PeopleIssuers,
  type Person,
  type VerifiedSignature,
} from '@colophon/records';

/** Who reviewed a commit and let it pass, and what that rests on. */
export type CommitReview = {
  readonly reviewer: Person;
  /** RFC 3339 with Z; absent where nobody who is believed says when. */
  readonly reviewedAt?: string;
  readonly basis: Basis;
};

/**
 * Whose review counts for a commit: the newest approval that a reviewer signed over that very commit, else the reviewer
 * whom a review event certified in the run's own certificate. A person whose rejection of the commit stands counts
 * neither way, however their address is spelt. What an agent says of a review, in a statement or a request, counts for nobody.
 * @param reviews verified signatures over reviews, in any order; others among them count for nothing
 * @param peopleIssuers as reviewerOf takes it
 * @returns asks for a commit, and the certificate of the run that made it
 * @see contract §2.1, §2.4
 */
export function reviewsOfCommits(
  reviews: readonly VerifiedSignature[],
  peopleIssuers?: PeopleIssuers,
): (commit: string, run?: CertificateIdentity) => CommitReview | undefined {
  // Each statement is read once, however many commits are asked for: it may be large.
  const rejections = withCopies(reviews.flatMap((review) => rejectionOf(review, peopleIssuers) ?? [])).map(
    ({ word }) => word,
  );
  const approving = reviews
    .filter(({ certificate_identity: identity, statement }) => isReviewersOwn(identity, statement, peopleIssuers))
    .map((review) => ({ review, word: approvalOf(review), isWhole: isWholeYes(review) }))
    .filter((one): one is typeof one & { readonly word: ReviewWord } => one.word !== undefined);
  return (commit, run) => {
    const approvals = approving.filter(({ review }) => isOfCommit(review, commit));
    const standing = rejections
      .filter(({ commits }) => commits.includes(commit))
      .filter((no) => !approvals.some((yes) => yes.isWhole && takesBackOfCommit(yes.word, no, commit, isOneReviewer)));
    const isRejected = (person: Person) => standing.some((no) => mayBeOnePerson(person, no.person));
    const [newest] = approvals
      .map(({ word }) => word)
      .filter(({ person }) => !isRejected(person))
      .sort((a, b) => Date.parse(b.integrated_at) - Date.parse(a.integrated_at) || compareTexts(keyOf(a), keyOf(b)));
    if (newest !== undefined) {
      const { person, subject, stated_at: statedAt } = newest;
      return {
        reviewer: person,
        ...(statedAt === undefined ? {} : { reviewedAt: statedAt }),
        basis: { source: 'review', signer: subject },
      };
    }
    const certified = run && certifiedReview(run);
    return certified === undefined || isRejected(certified.reviewer) ? undefined : certified;
  };
}

/** A signature over one commit approves no other: each place that names a commit names this one. */
function isOfCommit({ certificate_identity: identity, statement }: VerifiedSignature, commit: string): boolean {
  if (statement === undefined) return false;
  const stated = (statement.predicate as { readonly commit_sha?: unknown }).commit_sha;
  const named = statement.subject.flatMap(({ digest }) => digest['gitCommit'] ?? []);
  const certified = identity.claims.commit_sha;
  if (stated === undefined && named.length === 0) return false;
  return (
    (stated === undefined || stated === commit) &&
    (named.length === 0 || named.includes(commit)) &&
    (certified === undefined || certified === commit)
  );
}

/** What ends a rejection is certified by the very issuer: another spelling of it is heard where it says no, and only there. */
function isOneReviewer(one: Person, other: Person): boolean {
  return one.issuer === other.issuer && mayBeOnePerson(one, other);
}

function certifiedReview(identity: CertificateIdentity): CommitReview | undefined {
  const { human_reviewer: address, review_timestamp: reviewedAt } = identity.claims;
  const basis = basisOf(identity, 'human_reviewer');
  if (address === undefined || !isPersonAddress(address) || basis?.source !== 'review-event') return undefined;
  const isTimed = reviewedAt !== undefined && basisOf(identity, 'review_timestamp')?.source === 'review-event';
  return { reviewer: { issuer: identity.issuer, address }, ...(isTimed ? { reviewedAt } : {}), basis };
}

/** Of two of one time the order does not depend on how they came. */
function keyOf({ person }: ReviewWord): string {
  return `${person.issuer} ${person.address}`;
}
