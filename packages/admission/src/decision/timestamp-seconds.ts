import { isTimestamp, parseSeconds } from '@colophon/notation';

/** Seconds since 1970 of a time as the contract writes it, RFC 3339 in UTC; not a number where it is none. */
export function timestampSeconds(time: string): number {
  return (isTimestamp(time) ? parseSeconds(time) : undefined) ?? Number.NaN;
}
