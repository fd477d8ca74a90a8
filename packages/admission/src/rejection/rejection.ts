import { canonicalJson, type JsonValue } from '@colophon/json';
import { isSha256Hex, isTimestamp } from '@colophon/notation';
import {
  type CertificateIdentity,
  certifiedAddress,
  digestOf,
  isAgentIdentity,
  isMachineAddress,
  isSamePerson,
  type PeopleIssuer,
  type Person,
  parseAgentReview,
  parseCommitId,
  reviewerOf,
  type Statement,
  speakerOf,
  type VerifiedSignature,
} from '@colophon/records';
import { timestampSeconds } from '../decision/timestamp-seconds.ts';
import { isNegativeReview } from '../meaning/meaning.ts';
import { isReviewType } from '../review-type/review-type.ts';

/** A person's word about images or commits, as their certificate and a signed time vouch for it. */
export type ReviewWord = {
  readonly person: Person;
  /** The certificate identity that signed, e.g. `reviewer:alice@example.com` or `reviews:<host>`. */
  readonly subject: string;
  /** RFC 3339 with Z: when the log or a timestamp authority saw the signature. */
  readonly integrated_at: string;
  /** RFC 3339 with Z: before when the signature cannot have been made; absent where no certificate says so. */
  readonly certified_at?: string;
  /** The time that the person states; absent where there is no such time. */
  readonly stated_at?: string;
  /** `sha256:<hex>` of everything that is named and no commit: images, indexes, the manifests in them, files. */
  readonly images: readonly string[];
  /** Commit ids that are named, as subjects or in the predicate. */
  readonly commits: readonly string[];
};

/** A review that rejects. */
export type Rejection = ReviewWord & {
  /** Hex SHA-256 of its bundle, by which it can be withdrawn; absent where the bundle is not at hand. */
  readonly id?: string;
  /**
   * Hex SHA-256 of who says what by which certificate: the same for every copy, however its bundle is written and whenever
   * it was logged, and another for a new signature over the same text.
   */
  readonly content: string;
};

/**
 * What a verified statement says as somebody's word, and about what. Whether it is a review, and of the person, is the
 * caller's question.
 */
export function wordBy(
  person: Person,
  {
    certificate_identity: identity,
    statement,
    certified_at: certifiedAt,
    log_entry: log,
  }: VerifiedSignature & { readonly statement: Statement },
): ReviewWord {
  const { review_timestamp: stated, commit_sha: commit } = (statement.predicate ?? {}) as Record<string, unknown>;
  const named = (algorithm: string) => statement.subject.flatMap(({ digest }) => digest[algorithm] ?? []);
  const inPredicate = typeof commit === 'string' ? [commit] : [];
  const commits = [...named('gitCommit'), ...named('sha1'), ...inPredicate].map((id) => id.toLowerCase());
  const images = named('sha256').map((hex) => hex.toLowerCase());
  return {
    person,
    subject: identity.subject,
    integrated_at: log.integrated_at,
    ...(certifiedAt === undefined ? {} : { certified_at: certifiedAt }),
    ...(typeof stated === 'string' && isTimestamp(stated) ? { stated_at: stated } : {}),
    images: [...new Set(images.filter(isSha256Hex).map((hex) => `sha256:${hex}`))],
    commits: [...new Set(commits.filter((id) => parseCommitId(id) !== undefined))],
  };
}

/**
 * The rejection in a reviewer's verified signature; undefined for an approval and for everything else.
 * @param isOfPeople as reviewerOf takes it
 */
export function rejectionOf(signature: VerifiedSignature, isOfPeople?: PeopleIssuer): Rejection | undefined {
  const { statement, certificate_identity: identity } = signature;
  if (statement === undefined || !isReviewType(statement.predicateType)) return undefined;
  const person = speakerOf(identity, statement, isOfPeople);
  if (person === undefined || !isNegativeReview(statement.predicate)) return undefined;
  return negativeBy(person, { ...signature, statement });
}

/** The same of a statement that its reader takes for a no. */
export function negativeBy(
  person: Person,
  signature: VerifiedSignature & { readonly statement: Statement },
): Rejection {
  const { certificate_identity: identity, statement, certified_at: certifiedAt = null } = signature;
  const said = [identity.issuer, identity.subject, person.issuer, person.address, certifiedAt, statement];
  const content = digestOf(canonicalJson(said as unknown as JsonValue)).slice('sha256:'.length);
  return { ...wordBy(person, signature), content };
}

/**
 * Rejections with the copies that there are of them, in the order in which the first of each came: however its bundle is
 * written and however often it was logged again, a copy is not a second rejection, and its time is that of the earliest.
 */
export function withCopies<T extends Rejection>(
  rejections: Iterable<T>,
): ReadonlyArray<{ readonly word: T; readonly copies: readonly T[] }> {
  const said = new Map<string, { word: T; readonly copies: T[] }>();
  for (const one of rejections) {
    const known = said.get(one.content);
    if (known === undefined) said.set(one.content, { word: one, copies: [one] });
    else {
      known.copies.push(one);
      if (timestampSeconds(one.integrated_at) < timestampSeconds(known.word.integrated_at)) {
        known.word = { ...known.word, integrated_at: one.integrated_at };
      }
    }
  }
  return [...said.values()];
}

/**
 * The approval in a verified review; undefined for a rejection, for a review that is not what its type promises or names
 * another person than its certificate, for one by whom nobody is certified, and for everything else. Whether a policy
 * names its signer is for the caller to ask.
 */
export function approvalOf(signature: VerifiedSignature, ownType?: string): ReviewWord | undefined {
  const { statement, certificate_identity: identity } = signature;
  if (statement === undefined || !isReviewType(statement.predicateType, ownType)) return undefined;
  const parsed = parseAgentReview(statement.predicate);
  if (!parsed.ok || isNegativeReview(statement.predicate)) return undefined;
  const person = approverBehind(identity);
  return person?.address === parsed.value.human_reviewer ? wordBy(person, { ...signature, statement }) : undefined;
}

/**
 * The person who can approve by a certificate that a policy names: the certified reviewer; where nobody is certified as
 * one, the reviewer that the certificate claims, or the address of an e-mail certificate. A review service that certifies
 * nobody approves nothing: the name in the statement alone is nobody's.
 * @returns undefined for an agent, for a machine, and for a name that only reads like an address
 */
export function approverBehind(identity: CertificateIdentity): Person | undefined {
  const { issuer, subject, claims } = identity;
  if (isAgentIdentity(identity) || isMachineAddress(subject)) return undefined;
  const address = reviewerOf(identity)?.address ?? claims.human_reviewer ?? certifiedAddress(identity);
  return address === undefined || isMachineAddress(address) ? undefined : { issuer, address };
}

/**
 * Who speaks by a certificate that a policy names: the certified reviewer; where nobody is certified as one, the reviewer
 * that the certificate claims or its subject itself, as an issuer of people writes it. An agent speaks for itself alone.
 */
export function personBehind(identity: CertificateIdentity, statement?: Statement): Person {
  const { issuer, subject, claims } = identity;
  const claimed = isAgentIdentity(identity) ? undefined : claims.human_reviewer;
  return speakerOf(identity, statement) ?? { issuer, address: claimed ?? subject };
}

/** True for a word that names nothing that we know. */
export function namesNothing({ images, commits }: ReviewWord): boolean {
  return images.length + commits.length === 0;
}

/**
 * True where a rejection speaks of an image: it names one of `digests` (the image's own, and those of the manifests in an
 * index), or it names nothing but commits and the image was made from one of `commits`.
 */
export function rejects(
  { images, commits }: ReviewWord,
  image: { readonly digests: ReadonlySet<string>; readonly commits: ReadonlySet<string> },
): boolean {
  if (images.length === 0) return commits.some((commit) => image.commits.has(commit));
  return images.some((digest) => image.digests.has(digest));
}

/**
 * True where a person's approval takes back all of their own rejection: it was signed later, and covers every image and
 * every commit that was rejected. A tie keeps the rejection. Anybody can have an old approval logged or timestamped again,
 * so it is its certificate that has to be younger than the rejection.
 */
export function takesBack(approval: ReviewWord, rejection: ReviewWord, isOnePerson: OnePerson = isSamePerson): boolean {
  if (!isLaterWordOf(approval, rejection, isOnePerson)) return false;
  if (namesNothing(rejection)) return false;
  return (
    rejection.images.every((name) => approval.images.includes(name)) &&
    rejection.commits.every((name) => approval.commits.includes(name))
  );
}

/**
 * The same for one image that a rejection speaks of, whatever else it names: the approval names all that the rejection
 * names of this image, and its commits; where it names only commits, each of them that the image was made from.
 */
export function takesBackFor(
  approval: ReviewWord,
  rejection: ReviewWord,
  image: { readonly digests: ReadonlySet<string>; readonly commits: ReadonlySet<string> },
  isOnePerson: OnePerson = isSamePerson,
): boolean {
  const { images, commits } = rejection;
  const here = images.filter((digest) => image.digests.has(digest));
  const made = images.length > 0 ? commits : commits.filter((commit) => image.commits.has(commit));
  return takesBack(approval, { ...rejection, images: here, commits: made }, isOnePerson);
}

/** Whether two names are one person's, for who asks. */
type OnePerson = (one: Person, other: Person) => boolean;

function isLaterWordOf(approval: ReviewWord, rejection: ReviewWord, isOnePerson: OnePerson): boolean {
  const { certified_at: certifiedAt } = approval;
  if (certifiedAt === undefined) return false;
  const isLater = timestampSeconds(certifiedAt) > timestampSeconds(rejection.integrated_at);
  return isLater && isOnePerson(approval.person, rejection.person);
}
