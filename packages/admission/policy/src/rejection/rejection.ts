import { canonicalJson, type JsonValue } from '@colophon/json';
import { isTimestamp } from '@colophon/notation';
import {
  type CertificateIdentity,
  certifiedAddress,
  digestOf,
  isAgentIdentity,
  isMachineAddress,
  isSamePerson,
  type PeopleIssuers,
  type Person,
  parseAgentReview,
  reviewerOf,
  type Statement,
  speakerOf,
  type VerifiedSignature,
} from '@colophon/records';
import {
  type About,
  aboutForNo,
  aboutForYes,
  coversAll,
  coversCommit,
  coversFor,
  type MadeArtifact,
} from '../about/about.ts';
import { timestampSeconds } from '../decision/timestamp-seconds.ts';
import { isNegativeReview } from '../meaning/meaning.ts';
import { isNegativeStatement } from '../negatives/negative-statement.ts';
import { isReviewType } from '../review-type/review-type.ts';

/** A person's word about images or commits, as their certificate and a signed time vouch for it. */
export type ReviewWord = About & {
  readonly person: Person;
  /** The certificate identity that signed, e.g. `reviewer:alice@example.com` or `reviews:<host>`. */
  readonly subject: string;
  /** RFC 3339 with Z: when the log or a timestamp authority saw the signature. */
  readonly integrated_at: string;
  /** RFC 3339 with Z: before when the signature cannot have been made; absent where no certificate says so. */
  readonly certified_at?: string;
  /** The time that the person states; absent where there is no such time. */
  readonly stated_at?: string;
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

function wordBy(
  person: Person,
  {
    certificate_identity: identity,
    statement,
    certified_at: certifiedAt,
    log_entry: log,
  }: VerifiedSignature & { readonly statement: Statement },
  about: About,
): ReviewWord {
  const { review_timestamp: stated } = (statement.predicate ?? {}) as Record<string, unknown>;
  return {
    person,
    subject: identity.subject,
    integrated_at: log.integrated_at,
    ...(certifiedAt === undefined ? {} : { certified_at: certifiedAt }),
    ...(typeof stated === 'string' && isTimestamp(stated) ? { stated_at: stated } : {}),
    ...about,
  };
}

/**
 * The no in a reviewer's verified signature, of whatever type; undefined for an approval and for everything else.
 * @param peopleIssuers as speakerOf takes it
 */
export function rejectionOf(signature: VerifiedSignature, peopleIssuers?: PeopleIssuers): Rejection | undefined {
  const { statement, certificate_identity: identity } = signature;
  if (statement === undefined) return undefined;
  const person = speakerOf(identity, statement, peopleIssuers);
  // A stranger's statement may be large, and is not read.
  if (person === undefined || !isNegativeStatement(statement)) return undefined;
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
  return { ...wordBy(person, signature, aboutForNo(statement)), content };
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
 * The approval in a verified review; undefined for a rejection, for a review that is not what its type promises, that names
 * another person than its certificate or another target than its subjects, for one by whom nobody is certified, and for
 * everything else. Whether a policy names its signer is for the caller to ask.
 */
export function approvalOf(signature: VerifiedSignature, ownType?: string): ReviewWord | undefined {
  const { statement, certificate_identity: identity } = signature;
  if (statement === undefined || !isReviewType(statement.predicateType, ownType)) return undefined;
  const parsed = parseAgentReview(statement.predicate);
  if (!parsed.ok || isNegativeReview(statement.predicate)) return undefined;
  const person = approverBehind(identity);
  const about = aboutForYes(statement);
  if (about === undefined || person?.address !== parsed.value.human_reviewer) return undefined;
  return wordBy(person, { ...signature, statement }, about);
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

/**
 * True where a person's approval takes back all of their own rejection: it was signed later, and is about all that was
 * rejected. A tie keeps the rejection. Anybody can have an old approval logged or timestamped again, so it is its certificate
 * that has to be younger than the rejection.
 */
export function takesBack(approval: ReviewWord, rejection: ReviewWord, isOnePerson: OnePerson = isSamePerson): boolean {
  return isLaterWordOf(approval, rejection, isOnePerson) && coversAll(approval, rejection);
}

/** The same for one image that a rejection speaks of, whatever else it names. */
export function takesBackFor(
  approval: ReviewWord,
  rejection: ReviewWord,
  image: MadeArtifact,
  isOnePerson: OnePerson = isSamePerson,
): boolean {
  return isLaterWordOf(approval, rejection, isOnePerson) && coversFor(approval, rejection, image);
}

/** The same for one commit that a rejection names. */
export function takesBackOfCommit(
  approval: ReviewWord,
  rejection: ReviewWord,
  commit: string,
  isOnePerson: OnePerson = isSamePerson,
): boolean {
  return isLaterWordOf(approval, rejection, isOnePerson) && coversCommit(approval, rejection, commit);
}

/** Whether two names are one person's, for who asks. */
type OnePerson = (one: Person, other: Person) => boolean;

function isLaterWordOf(approval: ReviewWord, rejection: ReviewWord, isOnePerson: OnePerson): boolean {
  const { certified_at: certifiedAt } = approval;
  if (certifiedAt === undefined) return false;
  const isLater = timestampSeconds(certifiedAt) > timestampSeconds(rejection.integrated_at);
  return isLater && isOnePerson(approval.person, rejection.person);
}
