import type { VerifiedSignature } from '@colophon/records';
import { type Finding, shown } from './reason.ts';
import { timestampSeconds } from './timestamp-seconds.ts';

/** Why a signature is too old for its rule; empty where it is not. Without a time of now no age is known, and none counts. */
export function checkAge(
  { log_entry: log }: Pick<VerifiedSignature, 'log_entry'>,
  maxAgeSeconds: number | undefined,
  nowSeconds: number | undefined,
  code: 'admission.signature_too_old' | 'admission.review_too_old' = 'admission.signature_too_old',
): Finding[] {
  if (maxAgeSeconds === undefined) return [];
  const ageSeconds = (nowSeconds ?? Number.NaN) - timestampSeconds(log.integrated_at);
  // Not a number is no age.
  if (ageSeconds <= maxAgeSeconds) return [];
  const message = code === 'admission.review_too_old' ? 'The review is too old.' : 'The signature is too old.';
  const found = nowSeconds === undefined ? 'no time to compare with' : shown(log.integrated_at);
  return [{ code, message, expected: `at most ${maxAgeSeconds} s old`, found }];
}

/** Seconds since 1970: until when signatures are young enough for a rule; undefined where it has no limit. */
export function youngUntil(
  signatures: ReadonlyArray<Pick<VerifiedSignature, 'log_entry'>>,
  maxAgeSeconds: number | undefined,
): number | undefined {
  if (maxAgeSeconds === undefined || signatures.length === 0) return undefined;
  return Math.min(...signatures.map(({ log_entry: log }) => timestampSeconds(log.integrated_at))) + maxAgeSeconds;
}
