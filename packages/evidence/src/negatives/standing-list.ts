import { createHash } from 'node:crypto';
import { approvalOf, type Rejection, rejectionOf, takesBack } from '@colophon/admission';
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
import type { EvidenceEntry, ReviewWordStore } from '@colophon/store';
import { rfc3339 } from '../evidence/rfc3339.ts';

/** What the list holds, without its number and time. */
export type StandingWords = Pick<StandingNegatives, 'rejections' | 'withdrawals'>;

/**
 * Every rejection in the store that no later approval of the same person takes back in full, and the withdrawals of
 * those, oldest first. Whose rejection and whose withdrawal counts is for policies to say. Of several withdrawals of one
 * rejection by one identity the first stands here.
 */
export function standingWords(words: ReviewWordStore, predicateBase: string): StandingWords {
  const ownType = agentReviewType(predicateBase);
  const rejections = new Map<string, StandingRejection>();
  for (const entry of words.rejections()) {
    const rejection = rejectionOf(signatureOf(entry));
    if (rejection === undefined || isTakenBack(words, rejection, entry.integrated_at, ownType)) continue;
    const content = contentKey(entry);
    const known = rejections.get(content);
    // Logged again it is the same word, of the name that it had first, and as young as it is now.
    rejections.set(content, standingRejection(known?.id ?? idOf(entry), rejection));
  }
  const standing = [...rejections.values()];
  return { rejections: standing, withdrawals: standing.flatMap(({ id }) => withdrawalsOf(words, id)) };
}

/**
 * What one person said, whatever the bundle around it looks like: anybody can write a bundle's JSON anew, or log a signature
 * again, and make no second word by it.
 */
function contentKey({ identity, statement }: EvidenceEntry): string {
  const { issuer, subject } = JSON.parse(identity) as CertificateIdentity;
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject, statement]))
    .digest('hex');
}

/** A rejection as it stands in the list; `id` is the hex SHA-256 of its bundle. */
export function standingRejection(id: string, rejection: Rejection): StandingRejection {
  const { person, subject, time, statedTime, images, commits } = rejection;
  return {
    id,
    person: person.address,
    issuer: person.issuer,
    subject,
    time,
    ...(statedTime === undefined ? {} : { review_timestamp: statedTime }),
    images: [...images],
    commits: [...commits],
  };
}

/** An approval that covers the rejection covers the first thing that it names: only those are looked at. */
function isTakenBack(words: ReviewWordStore, rejection: Rejection, since: number, ownType: string): boolean {
  const [image] = rejection.images;
  const [commit] = rejection.commits;
  if (image === undefined && commit === undefined) return false;
  const first = image === undefined ? { commit: commit! } : { artifact: image.slice('sha256:'.length) };
  for (const entry of words.approvals(first, rejection.person, since)) {
    const approval = approvalOf(signatureOf(entry), ownType);
    if (approval !== undefined && takesBack(approval, rejection)) return true;
  }
  return false;
}

function withdrawalsOf(words: ReviewWordStore, rejection: string): StandingWithdrawal[] {
  const bySigner = new Map<string, StandingWithdrawal>();
  for (const entry of words.withdrawals(Buffer.from(rejection, 'hex'))) {
    const { identity, statement, log } = signatureOf(entry);
    const parsed = parseReviewWithdrawal(statement?.predicate);
    const { subject, issuer } = identity;
    const signer = JSON.stringify([issuer, subject]);
    if (!parsed.ok || bySigner.has(signer)) continue;
    const { reason } = parsed.value;
    bySigner.set(signer, { id: idOf(entry), rejection, subject, issuer, time: log.integratedAt, reason });
  }
  return [...bySigner.values()];
}

function idOf({ bundle_sha256 }: EvidenceEntry): string {
  return Buffer.from(bundle_sha256).toString('hex');
}

/** The signature as it verified when it was stored. */
function signatureOf({ identity, statement, log_id, log_index, integrated_at }: EvidenceEntry): VerifiedSignature {
  return {
    identity: JSON.parse(identity) as CertificateIdentity,
    ...(statement === null ? {} : { statement: JSON.parse(statement) as Statement }),
    log: { logId: log_id, logIndex: log_index, integratedAt: rfc3339(integrated_at) },
  };
}
