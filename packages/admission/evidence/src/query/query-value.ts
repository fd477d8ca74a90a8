import { dayNumber, isTimestamp, parseInstant, parseSha256 } from '@colophon/notation';
import type { FieldType } from './query-field.ts';

const NUMBER = /^-?[0-9]{1,15}(?:\.[0-9]{1,9})?$/;
const DURATION = /^(?:[0-9]{1,9}(?:\.[0-9]{1,3})?(?:ms|s|m|h|d))+$/;
const DURATION_PART = /([0-9.]+)(ms|s|m|h|d)/g;
const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** How values of each type are written, for a person. */
export const VALUE_FORMS: Readonly<Record<FieldType, string>> = {
  text: 'text, bare or in quotes',
  digest: 'a SHA-256, 64 hexadecimal digits, with or without sha256:',
  number: 'a number',
  duration: 'a duration such as 60s, 5m, 1h30m or a number of seconds',
  time: 'a time such as 2026-11-21T10:00:00Z, or a day',
  boolean: 'true or false',
};

/**
 * A value as it is stored: durations in seconds, times in milliseconds since the epoch, booleans as 1 and 0, digests
 * as the column keeps them. Undefined when it is none of its type.
 */
export function readValue(type: FieldType, text: string, digestPrefix: string): string | number | undefined {
  switch (type) {
    case 'text':
      return text;
    case 'digest':
      return readDigest(text, digestPrefix);
    case 'number':
      return NUMBER.test(text) ? Number(text) : undefined;
    case 'duration':
      return readDuration(text);
    case 'time':
      return readTime(text);
    case 'boolean':
      return text === 'true' ? 1 : text === 'false' ? 0 : undefined;
  }
}

function readDigest(text: string, prefix: string): string | undefined {
  const digest = parseSha256(text);
  return digest && prefix + digest.slice('sha256:'.length);
}

function readDuration(text: string): number | undefined {
  if (NUMBER.test(text)) return Number(text);
  if (!DURATION.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit = ''] of text.matchAll(DURATION_PART)) seconds += Number(amount) * (SECONDS[unit] ?? 0);
  return seconds;
}

function readTime(text: string): number | undefined {
  const full = dayNumber(text) !== undefined ? `${text}T00:00:00Z` : text;
  return isTimestamp(full) ? parseInstant(full) : undefined;
}
