/** Text with at least one character, whatever it is. */
export const filledText = { type: 'string', description: 'text that is not empty', minLength: 1 } as const;
export const textOrNull = { ...filledText, type: ['string', 'null'] } as const;

/** The beginning of a pattern: a day as RFC 3339 writes it. */
export const DAY_PREFIX = '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])';
const CLOCK_PATTERN = '(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:\\.[0-9]{1,12})?';
const ZONE_PATTERN = '(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])';
/** An RFC 3339 time at any offset. */
export const instant = {
  type: 'string',
  description: 'a time such as 2026-01-31T12:00:00Z (RFC 3339)',
  pattern: `${DAY_PREFIX}[Tt ]${CLOCK_PATTERN}${ZONE_PATTERN}$`,
  format: 'date-time',
} as const;
export const instantOrNull = { ...instant, type: ['string', 'null'] } as const;
export const day = {
  type: 'string',
  description: 'a day in UTC such as 2026-01-31',
  pattern: `${DAY_PREFIX}$`,
  format: 'date',
} as const;
export const dayOrNull = { ...day, type: ['string', 'null'] } as const;
