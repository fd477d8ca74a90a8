import {
  approvalOf,
  meaningOf,
  type Rejection,
  type ReviewWord,
  rejectionOf,
  takesBack,
  withCopies,
} from '@colophon/admission';
import { formatInstant } from '@colophon/notation';
import {
  agentReviewType,
  type CertificateIdentity,
  foldedAddress,
  type PeopleIssuers,
  type Person,
  parseReviewWithdrawal,
  REVIEW_SERVICE_PREFIX,
  reviewerOf,
  type StandingRejection,
  type StandingWithdrawal,
  type Statement,
  typesUnder,
  type VerifiedSignature,
} from '@colophon/records';
import type { ReviewWordEntry, ReviewWordStore } from '@colophon/store';

/** A word, and whose share of the list it fills: the same text for every spelling of one person. */
export type SharedWord<T> = { readonly share: string; readonly word: T };

/** A withdrawal by a signer who is no person; `arrival` grows in the order in which words came to the store. */
export type OthersWithdrawal = { readonly arrival: number; readonly word: StandingWithdrawal };

/** What the list is made of. */
export type StandingWords = {
  readonly rejections: ReadonlyArray<SharedWord<StandingRejection>>;
  /** By people. */
  readonly withdrawals: ReadonlyArray<SharedWord<StandingWithdrawal>>;
  /** By all others: anybody has a certificate of some authority. */
  readonly othersWithdrawals: readonly OthersWithdrawal[];
};

/**
 * Every rejection in the store that no later approval of the same person takes back in full, and the withdrawals of
 * those. Whose rejection and whose withdrawal counts is for policies to say. A rejection stands here once,
 * by the name that its first copy had and as early as the earliest of them: anybody can write a bundle's JSON anew, or
 * have a signature logged again, and makes no second word by it. Of several withdrawals of one rejection by one identity
 * the first stands here.
 * @param peopleIssuers as reviewerOf takes it: whose withdrawals by e-mail certificates are those of people
 */
export function standingWords(
  words: ReviewWordStore,
  predicateBase: string,
  peopleIssuers?: PeopleIssuers,
): StandingWords {
  const approvals = new Approvals(words, predicateBase);
  const standing = withCopies(rejectionsIn(words)).filter(({ word }) => !approvals.takeBack(word));
  const withdrawals: Array<SharedWord<StandingWithdrawal>> = [];
  const othersWithdrawals: OthersWithdrawal[] = [];
  for (const { copies } of standing) {
    const ids = copies.map(({ id }) => id);
    for (const { arrival, person, word } of withdrawalsOf(words, ids, peopleIssuers)) {
      if (person === undefined) othersWithdrawals.push({ arrival, word });
      else withdrawals.push({ share: shareOf(person), word });
    }
  }
  const rejections = standing.map(({ word }) => ({
    share: shareOfRejection(word),
    word: standingRejection(word.id, word),
  }));
  return { rejections, withdrawals, othersWithdrawals };
}

/** Another spelling of an address, or a tag in it, is no second share. */
function shareOf({ issuer, address }: Person): string {
  return JSON.stringify([issuer, foldedAddress(address, { plusAddresses: 'same' })]);
}

/** Whom a review service only states has no share filled by it: the words are its own. */
function shareOfRejection({ person, subject, certified }: StoredRejection): string {
  const isStated = subject.startsWith(REVIEW_SERVICE_PREFIX) && certified !== true;
  return isStated ? JSON.stringify([person.issuer, subject]) : shareOf(person);
}

/** A rejection by its bundle; `certified` where the certificate of a review service names the person. */
type StoredRejection = Rejection & { readonly id: string; readonly certified?: true };

function* rejectionsIn(words: ReviewWordStore): Generator<StoredRejection> {
  for (const entry of words.rejections()) {
    // It is in the store because its issuer was one of people then: a configuration that no longer names it takes nothing back.
    const signature = signatureOf(entry);
    const rejection = rejectionOf(signature, 'any');
    if (rejection === undefined) continue;
    const { subject, claims } = signature.certificate_identity;
    const isCertified = subject.startsWith(REVIEW_SERVICE_PREFIX) && claims.human_reviewer !== undefined;
    yield { ...rejection, id: idOf(entry), ...(isCertified ? { certified: true } : {}) };
  }
}

/** A rejection as it stands in the list; `id` is the hex SHA-256 of its bundle. */
export function standingRejection(
  id: string,
  rejection: Rejection & Pick<StoredRejection, 'certified'>,
): StandingRejection {
  const { content, person, subject, integrated_at: time, images, commits, target, certified } = rejection;
  return {
    id,
    content,
    person: person.address,
    issuer: person.issuer,
    subject,
    time,
    images: [...images],
    commits: [...commits],
    ...(target === undefined ? {} : { target }),
    ...(certified === undefined ? {} : { certified }),
  };
}

/** The approvals in the store, read once for each person and thing however many copies of them there are. */
class Approvals {
  readonly #words: ReviewWordStore;
  readonly #types: readonly string[];
  readonly #known = new Map<string, readonly ReviewWord[]>();

  constructor(words: ReviewWordStore, predicateBase: string) {
    this.#words = words;
    this.#types = typesUnder(predicateBase, agentReviewType);
  }

  takeBack(rejection: Rejection): boolean {
    // An approval that covers the rejection covers the first thing that it names: only those are looked at.
    const [image, commit] = [rejection.images[0], rejection.commits[0]];
    if (image === undefined && commit === undefined) return false;
    const first = image === undefined ? { commit: commit! } : { artifact: image.slice('sha256:'.length) };
    const { issuer, address } = rejection.person;
    const key = JSON.stringify([first, issuer, address]);
    const approvals = this.#known.get(key) ?? this.#read(first, rejection.person);
    this.#known.set(key, approvals);
    return approvals.some((approval) => takesBack(approval, rejection));
  }

  #read(first: { readonly artifact: string } | { readonly commit: string }, person: Rejection['person']): ReviewWord[] {
    const read = new Map<string, ReviewWord | undefined>();
    for (const entry of this.#words.approvals(first, person)) {
      const { identity, statement, certified_at } = entry;
      const key = JSON.stringify([identity, statement, certified_at]);
      if (!read.has(key)) read.set(key, this.#approvalIn(signatureOf(entry)));
    }
    return [...read.values()].filter((approval) => approval !== undefined);
  }

  /** What is taken from the list is taken from every policy: only what says so in every word, under a base of ours. */
  #approvalIn(signature: VerifiedSignature): ReviewWord | undefined {
    const { statement } = signature;
    const [reviewType] = this.#types;
    if (statement === undefined || reviewType === undefined) return undefined;
    if (!this.#types.includes(statement.predicateType)) return undefined;
    if (meaningOf(statement, { reviewType }) !== 'affirmative') return undefined;
    return approvalOf(signature, reviewType);
  }
}

/** Withdrawals of any copy of a rejection are withdrawals of it. */
function withdrawalsOf(words: ReviewWordStore, copies: readonly string[], peopleIssuers: PeopleIssuers | undefined) {
  const [rejection = ''] = copies;
  const bySigner = new Map<string, OthersWithdrawal & { readonly person: Person | undefined }>();
  for (const entry of copies.flatMap((id) => [...words.withdrawals(Buffer.from(id, 'hex'))])) {
    const signature = signatureOf(entry);
    const { issuer, subject } = signature.certificate_identity;
    const signer = JSON.stringify([issuer, subject]);
    const reason = withdrawalReasonIn(signature);
    if (reason === undefined || bySigner.has(signer)) continue;
    const person = reviewerOf(signature.certificate_identity, signature.statement, peopleIssuers);
    const word = standingWithdrawal(idOf(entry), rejection, signature, reason);
    bySigner.set(signer, { arrival: entry.entry_id, person, word });
  }
  return bySigner.values();
}

function withdrawalReasonIn({ statement }: VerifiedSignature): string | undefined {
  const parsed = parseReviewWithdrawal(statement?.predicate);
  return parsed.ok ? parsed.value.reason : undefined;
}

/** A withdrawal as it stands in the list; `id` is the hex SHA-256 of its bundle. */
export function standingWithdrawal(
  id: string,
  rejection: string,
  { certificate_identity: { subject, issuer }, log_entry: log }: VerifiedSignature,
  reason: string,
): StandingWithdrawal {
  return { id, rejection, subject, issuer, time: log.integrated_at, reason };
}

function idOf({ bundle_sha256 }: ReviewWordEntry): string {
  return Buffer.from(bundle_sha256).toString('hex');
}

/** The signature as it verified when it was stored. */
function signatureOf(entry: ReviewWordEntry): VerifiedSignature {
  const { identity, statement, log_id, log_index, integrated_at, certified_at } = entry;
  return {
    certificate_identity: JSON.parse(identity) as CertificateIdentity,
    ...(certified_at === null ? {} : { certified_at: new Date(certified_at).toISOString() }),
    ...(statement === null ? {} : { statement: JSON.parse(statement) as Statement }),
    log_entry: { log_id, log_index, integrated_at: formatInstant(integrated_at) },
  };
}
