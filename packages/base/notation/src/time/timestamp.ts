import { formatInstant, isInYears } from './instant.ts';
import { parseRfc3339 } from './rfc3339.ts';

/** A pattern for JSON Schema; isTimestamp also checks the calendar. */
export const TIMESTAMP_PATTERN =
  '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?Z$';

const TRAILING_ZEROS = /\.?0*Z$/;

/**
 * Reads a time as the contract writes it (§2.1 `review_timestamp`): RFC 3339 in UTC, with a capital `T` and `Z`, a day
 * that the calendar has, up to nine digits of a second's fraction, no leap second. It is returned normalised: the
 * fraction without the zeros at its end, and none where it is zero.
 *
 * @returns undefined for anything else, another offset than `Z` too.
 */
export function parseTimestamp(text: string): string | undefined {
  if (!isTimestamp(text)) return undefined;
  return text.includes('.') ? text.replace(TRAILING_ZEROS, 'Z') : text;
}

/** True for every time that parseTimestamp reads, normalised or not. */
export function isTimestamp(text: string): boolean {
  const time = parseRfc3339(text);
  return time?.separator === 'T' && time.zone === 'Z' && time.fraction.length <= 9;
}

/**
 * An RFC 3339 time at any offset as the contract writes times: in UTC, normalised; what is finer than a nanosecond is
 * cut off. Undefined for anything else, and for what leaves the years 0 to 9999 on its way to UTC.
 */
export function timestampInUtc(text: string): string | undefined {
  const time = parseRfc3339(text);
  if (time === undefined || !isInYears(time.seconds)) return undefined;
  const fraction = time.fraction.slice(0, 9).replace(/0+$/, '');
  const seconds = formatInstant(time.seconds * 1000);
  return fraction === '' ? seconds : `${seconds.slice(0, -1)}.${fraction}Z`;
}
