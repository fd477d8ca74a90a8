import { dayNumber, digits } from '../calendar/calendar.ts';

/** A time as RFC 3339 writes it, with what its writer was free to choose. */
export type Rfc3339Time = {
  /** Whole seconds since 1970 in UTC: the offset is taken off. */
  readonly seconds: number;
  /** The digits after the dot as they are written; empty where there is no dot. */
  readonly fraction: string;
  /** Between day and hour; the standard allows all three. */
  readonly separator: 'T' | 't' | ' ';
  /** `Z`, `z` or an offset such as `-01:30`. */
  readonly zone: string;
  /** East of Greenwich. */
  readonly offsetMinutes: number;
};

/**
 * Reads `date-time` of RFC 3339 §5.6, at any offset. The day has to be in the calendar. The 60th second is refused, since
 * most clocks do not have it; so is a time without offset.
 *
 * @returns undefined for anything else
 */
export function parseRfc3339(text: string): Rfc3339Time | undefined {
  // Without a pattern, as a report looks at millions of them.
  const separator = text[10];
  if (text[13] !== ':' || text[16] !== ':' || !(separator === 'T' || separator === 't' || separator === ' ')) {
    return undefined;
  }
  const day = dayNumber(text.slice(0, 10));
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  if (day === undefined || !(hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  const end = text[19] === '.' ? endOfDigits(text, 20) : 19;
  if (end === 20) return undefined;
  const zone = text.slice(end);
  const offsetMinutes = minutesOf(zone);
  if (offsetMinutes === undefined) return undefined;
  const seconds = day * 86_400 + (hour * 60 + minute - offsetMinutes) * 60 + second;
  return { seconds, fraction: text.slice(20, end), separator, zone, offsetMinutes };
}

/** East of Greenwich; undefined for what is neither `Z` nor `±hh:mm`. */
function minutesOf(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  if (zone.length !== 6 || zone[3] !== ':' || !(zone[0] === '+' || zone[0] === '-')) return undefined;
  const hours = digits(zone, 1, 3);
  const minutes = digits(zone, 4, 6);
  if (!(hours <= 23 && minutes <= 59)) return undefined;
  return zone[0] === '-' ? 0 - hours * 60 - minutes : hours * 60 + minutes;
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (digits(text, at, at + 1) >= 0) at += 1;
  return at;
}
