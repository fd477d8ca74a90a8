import { dayNumber, isTimestamp, parseInstant, timestampInUtc } from '@colophon/notation';

/** ISO 8601 allows it, and many programs write it so. */
const OFFSET_WITHOUT_COLON = /^(\d{4}-\d{2}-\d{2}T[\d:.]+[+-]\d{2})(\d{2})$/i;
const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?$/;

/**
 * A time of a document as RFC 3339 in UTC, to the nanosecond; one that is written so stays as it is. A day alone is its
 * beginning, a time without offset is in UTC.
 * @returns undefined for what is no time, or is outside the years 1 to 9999 when moved to UTC
 */
export function normaliseTime(text: string): string | undefined {
  if (isTimestamp(text)) return text.startsWith('0000') ? undefined : text;
  const trimmed = text.trim();
  if (dayNumber(trimmed) !== undefined) return `${trimmed}T00:00:00Z`;
  const stated = WITHOUT_OFFSET.test(trimmed) ? `${trimmed}Z` : trimmed.replace(OFFSET_WITHOUT_COLON, '$1:$2');
  const time = timestampInUtc(stated);
  return time?.startsWith('0000') ? undefined : time;
}

/** True for what RFC 3339 itself allows, at any offset. */
export function isRfc3339(text: string): boolean {
  return /[Tt]/.test(text) && parseInstant(text) !== undefined;
}

/** Orders two normalised times; as text alone `…:00Z` would come after `…:00.5Z`, and `….5Z` not be `….50Z`. */
export function compareTimes(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [plainTime(a), plainTime(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The same text for the same moment, in whichever spelling. */
export function plainTime(time: string): string {
  return time.includes('.') ? time.replace(/\.?0*Z$/, '') : time.slice(0, -1);
}
