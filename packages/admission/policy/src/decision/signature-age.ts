import type { VerifiedSignature } from '@colophon/records';
import { type Finding, shown } from './reason.ts';
import { CLOCK_SKEW_SECONDS, timestampSeconds } from './timestamp-seconds.ts';

type Signed = Pick<VerifiedSignature, 'certificate_identity' | 'certified_at' | 'log_entry'>;

/**
 * Why a signature is too old for its rule; empty where it is not. Without a time of now no age is known, and none counts;
 * nor does one from the future, where somebody's clock is wrong.
 */
export function checkAge(
  signature: Signed,
  maxAgeSeconds: number | undefined,
  nowSeconds: number | undefined,
  code: 'admission.signature_too_old' | 'admission.review_too_old' = 'admission.signature_too_old',
): Finding[] {
  if (maxAgeSeconds === undefined) return [];
  const ageSeconds = (nowSeconds ?? Number.NaN) - madeAfter(signature);
  // Not a number is no age.
  if (ageSeconds <= maxAgeSeconds && ageSeconds >= -CLOCK_SKEW_SECONDS) return [];
  const message = code === 'admission.review_too_old' ? 'The review is too old.' : 'The signature is too old.';
  const found = nowSeconds === undefined ? 'no time to compare with' : shownTime(signature);
  return [{ code, message, expected: `at most ${maxAgeSeconds} s old`, found }];
}

/** Seconds since 1970: until when all of the signatures are young enough for a rule; infinity where it has no limit. */
export function youngUntil(signatures: readonly Signed[], maxAgeSeconds: number | undefined): number {
  if (maxAgeSeconds === undefined) return Number.POSITIVE_INFINITY;
  return Math.min(...signatures.map(madeAfter)) + maxAgeSeconds;
}

/**
 * Seconds since 1970 before which a signature cannot have been made. Anybody can have an old one logged or timestamped
 * again, so it is its certificate that says when; a bare key says nothing, and that is no number.
 */
function madeAfter({ certificate_identity: { key }, certified_at: certifiedAt, log_entry: log }: Signed): number {
  return key === undefined ? timestampSeconds(certifiedAt ?? log.integrated_at) : Number.NaN;
}

function shownTime({ certificate_identity: { key }, certified_at: certifiedAt, log_entry: log }: Signed): string {
  return key === undefined ? shown(certifiedAt ?? log.integrated_at) : 'a key, which does not say when it signed';
}
