import { approvalOf, type Rejection, type ReviewWord, rejectionOf, takesBack, withCopies } from '@colophon/admission';
import { formatInstant } from '@colophon/notation';
import {
  agentReviewType,
  type CertificateIdentity,
  parseReviewWithdrawal,
  type StandingNegatives,
  type StandingRejection,
  type StandingWithdrawal,
  type Statement,
  type VerifiedSignature,
} from '@colophon/records';
import type { ReviewWordEntry, ReviewWordStore } from '@colophon/store';

/** What the list holds, without its number and time. */
export type StandingWords = Pick<StandingNegatives, 'rejections' | 'withdrawals'>;

/**
 * Every rejection in the store that no later approval of the same person takes back in full, and the withdrawals of
 * those, oldest first. Whose rejection and whose withdrawal counts is for policies to say. A rejection stands here once,
 * by the name that its first copy had and as early as the earliest of them: anybody can write a bundle's JSON anew, or
 * have a signature logged again, and makes no second word by it. Of several withdrawals of one rejection by one identity
 * the first stands here.
 */
export function standingWords(words: ReviewWordStore, predicateBase: string): StandingWords {
  const approvals = new Approvals(words, agentReviewType(predicateBase));
  const standing = withCopies(rejectionsIn(words)).filter(({ word }) => !approvals.takeBack(word));
  return {
    rejections: standing.map(({ word }) => standingRejection(word.id, word)).sort(byTime),
    withdrawals: standing.flatMap(({ copies }) =>
      withdrawalsOf(
        words,
        copies.map(({ id }) => id),
      ),
    ),
  };
}

function* rejectionsIn(words: ReviewWordStore): Generator<Rejection & { readonly id: string }> {
  for (const entry of words.rejections()) {
    // It is in the store because its issuer was one of people then: a configuration that no longer names it takes nothing back.
    const rejection = rejectionOf(signatureOf(entry), () => true);
    if (rejection !== undefined) yield { ...rejection, id: idOf(entry) };
  }
}

/** A rejection as it stands in the list; `id` is the hex SHA-256 of its bundle. */
export function standingRejection(id: string, rejection: Rejection): StandingRejection {
  const { content, person, subject, integrated_at: time, images, commits, target } = rejection;
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
  };
}

/** The approvals in the store, read once for each person and thing however many copies of them there are. */
class Approvals {
  readonly #words: ReviewWordStore;
  readonly #ownType: string;
  readonly #known = new Map<string, readonly ReviewWord[]>();

  constructor(words: ReviewWordStore, ownType: string) {
    this.#words = words;
    this.#ownType = ownType;
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
      if (!read.has(key)) read.set(key, approvalOf(signatureOf(entry), this.#ownType));
    }
    return [...read.values()].filter((approval) => approval !== undefined);
  }
}

/** Withdrawals of any copy of a rejection are withdrawals of it. */
function withdrawalsOf(words: ReviewWordStore, copies: readonly string[]): StandingWithdrawal[] {
  const [rejection = ''] = copies;
  const bySigner = new Map<string, StandingWithdrawal>();
  for (const entry of copies.flatMap((id) => [...words.withdrawals(Buffer.from(id, 'hex'))])) {
    const { certificate_identity: identity, statement, log_entry: log } = signatureOf(entry);
    const parsed = parseReviewWithdrawal(statement?.predicate);
    const { subject, issuer } = identity;
    const signer = JSON.stringify([issuer, subject]);
    if (!parsed.ok || bySigner.has(signer)) continue;
    const { reason } = parsed.value;
    bySigner.set(signer, { id: idOf(entry), rejection, subject, issuer, time: log.integrated_at, reason });
  }
  return [...bySigner.values()];
}

function byTime(one: StandingRejection, other: StandingRejection): number {
  return Date.parse(one.time) - Date.parse(other.time);
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
