import { parseTimestamp } from '@colophon/notation';

// RFC 3339, with a blank for its T, and Go's own way of printing a time.
const TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d{1,9})?\d* ?(?:([Zz])|([+-]\d\d):?(\d\d))(?: [A-Z]{1,5})?$/;
/** What Go writes for a time that was never set. */
const NEVER = '0001-01-01T00:00:00Z';

/**
 * A time as scanners write it, in UTC as RFC 3339 has it.
 *
 * @returns undefined for what is no time, for one that does not say in which zone, and for Go's time of never.
 */
export function utcTime(value: unknown): string | undefined {
  const match = typeof value === 'string' ? TIME.exec(value.trim()) : null;
  if (match === null) return undefined;
  const [, day, clock, fraction = '', zulu, hours, minutes] = match;
  const written = parseTimestamp(`${day}T${clock}${fraction}Z`);
  if (written === undefined || written === NEVER) return undefined;
  if (zulu !== undefined || (Number(hours) === 0 && minutes === '00')) return written;
  const moved = Date.parse(`${day}T${clock}${hours}:${minutes}`);
  // A whole number of minutes away, so the fraction stays what it is.
  return Number.isNaN(moved) ? undefined : parseTimestamp(`${new Date(moved).toISOString().slice(0, 19)}${fraction}Z`);
}
