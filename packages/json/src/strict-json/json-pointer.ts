const LONGEST_SEGMENT = 64;
const NOT_PRINTABLE = /[^\x20-\x7e]/g;

/**
 * The JSON Pointer (RFC 6901) to a value: '' for the whole document, `/subject/0/digest` below it. Names come from
 * outside and end up in messages and logs, so what is not printable ASCII is written `\uXXXX`, and a name of more
 * than 64 characters is cut, with `...` at its end; every other pointer is exact.
 */
export function jsonPointer(segments: readonly (string | number)[]): string {
  let pointer = '';
  for (const segment of segments) pointer += `/${typeof segment === 'number' ? segment : escapeName(segment)}`;
  return pointer;
}

function escapeName(name: string): string {
  const shown = name.length > LONGEST_SEGMENT ? `${name.slice(0, LONGEST_SEGMENT)}...` : name;
  return shown
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replace(NOT_PRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
