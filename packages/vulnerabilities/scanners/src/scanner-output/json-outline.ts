/** What can be said of a JSON document without making anything of it. */
export type JsonOutline = {
  /** The most lists and objects that stand inside each other. */
  readonly depth: number;
  /** Where each list or object at the top ends, as an offset behind it. */
  readonly ends: readonly number[];
  /** It ends inside a list, an object or a text. */
  readonly isCut: boolean;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS_LIST = 0x5b;
const CLOSES_LIST = 0x5d;
const OPENS_OBJECT = 0x7b;
const CLOSES_OBJECT = 0x7d;

/** Goes over the bytes once, and stops where they are deeper than `deepest`. */
export function outlineJson(bytes: Uint8Array, deepest: number): JsonOutline {
  const ends: number[] = [];
  let depth = 0;
  let most = 0;
  let at = 0;
  const length = bytes.length;
  while (at < length) {
    const byte = bytes[at++];
    if (byte === QUOTE) {
      // Behind the closing quote. A backslash takes the next byte with it, whatever that is.
      let inside = bytes[at];
      while (inside !== QUOTE && at < length) {
        at += inside === BACKSLASH ? 2 : 1;
        inside = bytes[at];
      }
      if (at >= length) return { depth: most, ends, isCut: true };
      at++;
    } else if (byte === OPENS_OBJECT || byte === OPENS_LIST) {
      depth++;
      if (depth > most) {
        most = depth;
        if (most > deepest) break;
      }
    } else if ((byte === CLOSES_OBJECT || byte === CLOSES_LIST) && depth > 0) {
      depth--;
      if (depth === 0) ends.push(at);
    }
  }
  return { depth: most, ends, isCut: depth > 0 };
}
