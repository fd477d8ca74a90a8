/** A pattern for JSON Schema; parseTimestamp also checks the calendar. */
export const TIMESTAMP_PATTERN =
  '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?Z$';

const TIMESTAMP = new RegExp(TIMESTAMP_PATTERN);
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
  if (!TIMESTAMP.test(text)) return false;
  return Number(text.slice(8, 10)) <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
