import type { SqlValue } from './sql-database.ts';

/** `?` as `$1`, `$2`…, except in literals, quoted names and comments. */
export function numberedPlaceholders(text: string): string {
  let n = 0;
  return text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\?/g, (part) => (part === '?' ? `$${++n}` : part));
}

// Types by their numbers in pg_type.
const BOOL = 16;
const BYTEA = 17;
const NUMBERS = new Set([20, 21, 23, 26, 700, 701, 1700]);

/** How the text of a column becomes a value: numbers, bytes, 0 or 1 for a truth value, else the text itself. */
export function columnReader(type: number): (text: string) => SqlValue {
  if (type === BYTEA) return bytesOf;
  if (type === BOOL) return (text) => (text === 't' ? 1 : 0);
  return NUMBERS.has(type) ? numberOf : (text) => text;
}

function numberOf(text: string): number {
  const number = Number(text);
  // As on SQLite: better no answer than another number.
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new RangeError('a number of the database is too large to be held exactly');
  return number;
}

/** `\x0aff…`, as the server writes bytes. */
function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
}
