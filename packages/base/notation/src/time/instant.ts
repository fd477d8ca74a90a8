import { DAY_MS, dayNumber, formatDay, padded } from '../calendar/calendar.ts';
import { parseRfc3339 } from './rfc3339.ts';

const FIRST_DAY = -719_528;
const LAST_DAY = 2_932_896;
const SECONDS_A_DAY = 86_400;
const MOST_FRACTION_DIGITS = 12;

/**
 * Milliseconds since 1970 of an RFC 3339 time at any offset; what is finer than a millisecond is cut off. Undefined for
 * anything else, for more than twelve digits of a second's fraction, and for what leaves the years 0 to 9999 on its way to
 * UTC, where formatInstant has no text for it.
 */
export function parseInstant(text: string): number | undefined {
  const time = parseRfc3339(text);
  if (time === undefined || time.fraction.length > MOST_FRACTION_DIGITS || !isInYears(time.seconds)) return undefined;
  return time.seconds * 1000 + (time.fraction === '' ? 0 : Number(time.fraction.padEnd(3, '0').slice(0, 3)));
}

/** True for what RFC 3339 can write in UTC: the years 0 to 9999. */
export function isInYears(seconds: number): boolean {
  return seconds >= FIRST_DAY * SECONDS_A_DAY && seconds < (LAST_DAY + 1) * SECONDS_A_DAY;
}

/** Seconds since 1970 of an RFC 3339 time at any offset, with their fraction; undefined for anything else. */
export function parseSeconds(text: string): number | undefined {
  const time = parseRfc3339(text);
  return time === undefined ? undefined : time.seconds + Number(`0.${time.fraction}`);
}

/**
 * An instant in milliseconds since 1970 as RFC 3339 in UTC, without a fraction where it is zero.
 * @throws RangeError outside the years 0 to 9999
 */
export function formatInstant(instant: number): string {
  const day = Math.floor(instant / DAY_MS);
  if (!(day >= FIRST_DAY && day <= LAST_DAY)) throw new RangeError('an instant outside the years 0 to 9999');
  const rest = instant - day * DAY_MS;
  const time = [rest / 3_600_000, (rest / 60_000) % 60, (rest / 1000) % 60].map((part) => padded(Math.floor(part), 2));
  const fraction = rest % 1000 === 0 ? '' : `.${padded(rest % 1000, 3)}`;
  return `${formatDay(day)}T${time.join(':')}${fraction}Z`;
}

/** The day in UTC of a day or of an RFC 3339 time, as `2021-12-10`; undefined for any other text. */
export function dayOf(text: string): string | undefined {
  if (dayNumber(text) !== undefined) return text;
  const instant = parseInstant(text);
  return instant === undefined ? undefined : formatDay(Math.floor(instant / DAY_MS));
}
