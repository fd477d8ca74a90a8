import { DAY_MS, dayNumber, formatDay, parseInstant } from '@colophon/notation';

const ISO = /^(\d{4})[-/](\d{2})[-/](\d{2})(?:(?:[Tt]|\s+)(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,12})?)?\s*(\S.*)?)?$/;
const RFC_2822 =
  /^(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})\s+([A-Za-z]{3,9})\s+(\d{4})(?:\s+(\d{2}):(\d{2})(?::(\d{2}))?\s*(\S.*)?)?$/;
const MONTH_FIRST = /^([A-Za-z]{3,9})\.?\s+(\d{1,2}),\s+(\d{4})$/;
const EPOCH = /^\d{9,13}(?:\.\d{1,9})?$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
/** `Z`, `+00:00`, `-0500`, `+02`; Go writes the zone's name after the offset, and how long its program has run. */
const OFFSET = /^([+-])(\d{2}):?(\d{2})?(?:\s+(?:[A-Z]{1,5}|[+-]\d{2,4}))?(?:\s+m=[+-][\d.]+)?$/;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const ZONES: Readonly<Record<string, string>> = {
  ...{ Z: 'Z', z: 'Z', UT: 'Z', UTC: 'Z', GMT: 'Z' },
  ...{ EST: '-05:00', EDT: '-04:00', CST: '-06:00', CDT: '-05:00' },
  ...{ MST: '-07:00', MDT: '-06:00', PST: '-08:00', PDT: '-07:00' },
};

/** Numbers from here on are milliseconds: as seconds it would be the year 5138. */
const LEAST_EPOCH_MS = 100_000_000_000;
/** The oldest entry of the vulnerability database is of 1988; before that stand zeros that mean "not known". */
const EARLIEST_DAY = '1980-01-01';

type Clock = readonly [hour: string | undefined, minute?: string, second?: string, zone?: string];

/**
 * The day in UTC, `2021-12-10`, on which something became public, from any form of date that scanners write: RFC 3339,
 * with a blank for the `T`, without seconds or offset (then it is UTC), with Go's `+0000 UTC`, RFC 2822, a day alone, or
 * seconds or milliseconds since 1970. Undefined for what cannot be read, for a day that the calendar does not have, and for
 * the zeros of programs that do not know.
 */
export function parsePublicationDay(text: string): string | undefined {
  const day = readDay(text.trim());
  return day !== undefined && day >= EARLIEST_DAY ? day : undefined;
}

function readDay(text: string): string | undefined {
  if (text.length > 64) return undefined;
  const [iso, year, month, day, ...clock] = ISO.exec(text) ?? [];
  if (iso !== undefined) return dayAt(`${year}-${month}-${day}`, clock as unknown as Clock);
  const [compact, ...parts] = COMPACT.exec(text) ?? [];
  if (compact !== undefined) return dayAt(parts.join('-'), [undefined]);
  if (EPOCH.test(text)) return dayOfEpoch(Number(text));
  const [rfc, dayOfMonth, name, ofYear, ...at] = RFC_2822.exec(text) ?? [];
  if (rfc !== undefined) return dayAt(namedDay(ofYear, name, dayOfMonth), at as unknown as Clock);
  const [monthFirst, named, dayFirst, inYear] = MONTH_FIRST.exec(text) ?? [];
  return monthFirst === undefined ? undefined : dayAt(namedDay(inYear, named, dayFirst), [undefined]);
}

function namedDay(year = '', month = '', day = ''): string {
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  return `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

function dayAt(day: string, [hour, minute = '00', second = '00', zone = 'Z']: Clock): string | undefined {
  if (dayNumber(day) === undefined) return undefined;
  if (hour === undefined) return day;
  const offset = offsetOf(zone.trim());
  if (offset === undefined) return undefined;
  // A leap second is on the day of the second before it.
  const instant = parseInstant(`${day}T${hour}:${minute}:${second === '60' ? '59' : second}${offset}`);
  return instant === undefined ? undefined : formatDay(Math.floor(instant / DAY_MS));
}

function offsetOf(zone: string): string | undefined {
  if (Object.hasOwn(ZONES, zone)) return ZONES[zone];
  const [, sign, hours, minutes = '00'] = OFFSET.exec(zone) ?? [];
  return sign === undefined ? undefined : `${sign}${hours}:${minutes}`;
}

function dayOfEpoch(number: number): string | undefined {
  const milliseconds = number >= LEAST_EPOCH_MS ? number : number * 1000;
  return formatDay(Math.floor(milliseconds / DAY_MS));
}
