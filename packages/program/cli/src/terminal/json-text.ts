import { UNPRINTABLE } from './terminal.ts';

/** A value as indented JSON in which nothing moves a cursor, reorders or hides text, wherever it is shown. */
export function jsonText(value: unknown): string {
  return escapedJson(JSON.stringify(value, null, 2));
}

/**
 * JSON with such characters in the escapes of JSON: the same document to every reader. Other text keeps its lines and
 * tabs, and shows them by number.
 * @see RFC 8259 §7
 */
export function escapedJson(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === '\n' || character === '\t' || character === '\r' ? character : escapesOf(character),
  );
}

function escapesOf(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
