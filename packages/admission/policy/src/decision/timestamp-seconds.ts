import { isTimestamp, parseSeconds } from '@colophon/notation';

/** How far the clock of a signer may be ahead of another. */
export const CLOCK_SKEW_SECONDS = 600;

/** Seconds since 1970 of a time as the contract writes it, RFC 3339 in UTC; not a number where it is none. */
export function timestampSeconds(time: string): number {
  return (isTimestamp(time) ? parseSeconds(time) : undefined) ?? Number.NaN;
}
