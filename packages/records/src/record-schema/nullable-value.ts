/** Text with at least one character, whatever it is. */
export const filledText = { type: 'string', description: 'text that is not empty', minLength: 1 } as const;
export const textOrNull = { ...filledText, type: ['string', 'null'] } as const;

/** The beginning of a pattern: a day as RFC 3339 writes it. */
export const DAY_PREFIX = '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])';
export const day = {
  type: 'string',
  description: 'a day in UTC such as 2026-01-31',
  pattern: `${DAY_PREFIX}$`,
} as const;
export const dayOrNull = { ...day, type: ['string', 'null'] } as const;
