/** Line breaks of YAML 1.1 that are none in 1.2, and a carriage return alone, which our parser takes for none. */
const UNSHARED_LINE_BREAK = /[\u0085\u2028\u2029]|\r(?!\n)/;

/**
 * Where a text of YAML has a line break that not every reader takes for one: what is a comment for one is a line for
 * another. Written as an escape between double quotes it is none.
 * @returns the offset in UTF-16 units; undefined where there is none
 * @see https://yaml.org/spec/1.2.2/#54-line-break-characters, https://yaml.org/spec/1.1/#id871136
 */
export function unsharedLineBreak(text: string): number | undefined {
  return UNSHARED_LINE_BREAK.exec(text)?.index;
}
