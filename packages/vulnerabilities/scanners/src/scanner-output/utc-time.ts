import { timestampInUtc } from '@colophon/notation';

// RFC 3339, with a blank for its T, and Go's own way of printing a time.
const TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d{1,9})?\d* ?(?:([Zz])|([+-]\d\d):?(\d\d))(?: [A-Z]{1,5})?$/;
/** What Go writes for a time that was never set. */
const NEVER = '0001-01-01T00:00:00';

/**
 * A time as scanners write it, in UTC as RFC 3339 has it.
 *
 * @returns undefined for what is no time, for one that does not say in which zone, and for Go's time of never.
 */
export function utcTime(value: unknown): string | undefined {
  const match = typeof value === 'string' ? TIME.exec(value.trim()) : null;
  if (match === null) return undefined;
  const [, day, clock, fraction = '', zulu, hours, minutes] = match;
  if (`${day}T${clock}` === NEVER) return undefined;
  return timestampInUtc(`${day}T${clock}${fraction}${zulu === undefined ? `${hours}:${minutes}` : 'Z'}`);
}
