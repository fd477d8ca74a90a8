import { timingSafeEqual } from 'node:crypto';
import { parseReviewerProof, reviewerMac } from '@colophon/records';

/** A proof counts for so long, either way. */
export const REVIEWER_PROOF_LIFETIME_MS = 60_000;
/** More proofs than this within their lifetime are nobody's reviewing. */
const MOST_REMEMBERED = 10_000;

/** Tells whether the Authorization header proves, for exactly this body, that its sender knows the secret. */
export type ReviewerCheck = (authorization: string | undefined, body: Uint8Array) => boolean;

/**
 * Checks reviewers' proofs. Each counts once, for a minute, and none that was made before this process started: what
 * was used then is forgotten.
 */
export function createReviewerCheck({
  secret,
  issuer,
  now,
}: {
  readonly secret: string;
  readonly issuer: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}): ReviewerCheck {
  const startedAt = now();
  const usedUntil = new Map<string, number>();
  return (authorization, body) => {
    const proof = parseReviewerProof(authorization ?? '');
    if (proof === undefined) return false;
    const { issuedAt, nonce, mac } = proof;
    const expected = reviewerMac({ secret, issuer, body, issuedAt, nonce });
    const isBySecret = timingSafeEqual(Buffer.from(mac, 'hex'), Buffer.from(expected, 'hex'));
    const time = now();
    const isOfNow = Math.abs(time - issuedAt) <= REVIEWER_PROOF_LIFETIME_MS && issuedAt >= startedAt;
    if (!isBySecret || !isOfNow || usedUntil.has(nonce)) return false;
    for (const [old, until] of usedUntil) {
      if (until >= time) break;
      usedUntil.delete(old);
    }
    if (usedUntil.size >= MOST_REMEMBERED) return false;
    // Until no proof with this nonce could be of now any more.
    usedUntil.set(nonce, time + 2 * REVIEWER_PROOF_LIFETIME_MS);
    return true;
  };
}
