const LONGEST_SEGMENT = 64;
const NOT_PRINTABLE = /[^\x20-\x7e]/g;

/** A JSON Pointer (RFC 6901), exact whatever the names hold: '' for the whole document, `/subject/0/digest` below it. */
export function exactPointer(segments: readonly (string | number)[]): string {
  let pointer = '';
  for (const segment of segments) pointer += `/${escapeName(String(segment))}`;
  return pointer;
}

/** The names and indices of an exact JSON Pointer, or undefined where a text is none. @see RFC 6901 */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * A JSON Pointer to be shown. Names come from
 * outside and end up in messages and logs, so what is not printable ASCII is written `\uXXXX`, and a name of more
 * than 64 characters is cut, with `...` at its end; every other pointer is exact.
 */
export function jsonPointer(segments: readonly (string | number)[]): string {
  let pointer = '';
  for (const segment of segments) pointer += `/${typeof segment === 'number' ? segment : shownName(segment)}`;
  return pointer;
}

function shownName(name: string): string {
  const shown = name.length > LONGEST_SEGMENT ? `${name.slice(0, LONGEST_SEGMENT)}...` : name;
  return escapeName(shown).replace(
    NOT_PRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
