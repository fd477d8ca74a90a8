/** Milliseconds. */
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

const DAY_FORM = /^(\d{4})-(\d{2})-(\d{2})$/;
const INSTANT_FORM =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The number of a day since 1970-01-01, or undefined for a text that is no day of the calendar (`2026-02-29`). */
export function dayNumber(day: string): number | undefined {
  const [year, month, date] = (DAY_FORM.exec(day) ?? []).slice(1).map(Number);
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const number = daysBefore(year, month) + date - 1;
  return month >= 1 && dayAt(number) === day ? number : undefined;
}

/** The day with this number since 1970-01-01, `2026-01-31`. */
export function dayAt(number: number): string {
  let year = 1970 + Math.floor(number / 365.2425);
  // The estimate is off by one at most, at the turn of a year.
  while (daysBefore(year + 1, 1) <= number) year += 1;
  while (daysBefore(year, 1) > number) year -= 1;
  let month = 12;
  while (daysBefore(year, month) > number) month -= 1;
  return `${padded(year, 4)}-${padded(month)}-${padded(number - daysBefore(year, month) + 1)}`;
}

/** Whole days from one day to another: 1 from a day to the next one, whatever the clock. Both must be days. */
export function daysBetween(from: string, to: string): number {
  return numberOf(to) - numberOf(from);
}

/** Milliseconds since 1970 of an RFC 3339 time with any offset; undefined for anything else. */
export function instantMs(text: string): number | undefined {
  const found = INSTANT_FORM.exec(text);
  if (found === null) return undefined;
  const [, day = '', hour, minute, second, fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = found;
  const number = dayNumber(day);
  if (number === undefined) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const time =
    Number(hour) * HOUR + Number(minute) * 60_000 + Number(second) * 1000 + Number(`0.${fraction || 0}`) * 1000;
  return number * DAY + time - offset;
}

/** The RFC 3339 time in UTC of milliseconds since 1970, with a fraction only where there is one. */
export function instantAt(ms: number): string {
  const whole = Math.floor(ms);
  const day = Math.floor(whole / DAY);
  const rest = whole - day * DAY;
  const clock = [rest / HOUR, (rest % HOUR) / 60_000, (rest % 60_000) / 1000].map((part) => padded(Math.floor(part)));
  const fraction = rest % 1000;
  return `${dayAt(day)}T${clock.join(':')}${fraction === 0 ? '' : `.${padded(fraction, 3)}`}Z`;
}

/** The day in UTC of an RFC 3339 time; of a day it is that day; undefined for anything else. */
export function dayOf(text: string): string | undefined {
  if (dayNumber(text) !== undefined) return text;
  const ms = instantMs(text);
  return ms === undefined ? undefined : dayAt(Math.floor(ms / DAY));
}

/** The day on which somebody looks at the calendar, so many days later or earlier. */
export function addDays(day: string, days: number): string {
  return dayAt(numberOf(day) + days);
}

function numberOf(day: string): number {
  const number = dayNumber(day);
  if (number === undefined) throw new TypeError(`no day of the calendar: ${day}`);
  return number;
}

/** Days from 1970-01-01 to the first of a month. The year is counted from March, so that a leap day is its last. */
function daysBefore(year: number, month: number): number {
  const [y, m] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return 365 * y + leapDays + Math.floor((153 * m + 2) / 5) - 719_468;
}

function padded(number: number, width = 2): string {
  return String(number).padStart(width, '0');
}
