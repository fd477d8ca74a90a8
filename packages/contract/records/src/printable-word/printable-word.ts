/** Characters; the most that a free claim may have. */
export const LONGEST_WORD = 256;

/** Patterns for JSON Schema; what parsePrintableWord and parsePathSegment accept. */
export const PRINTABLE_WORD_PATTERN = `^[!-~]{1,${LONGEST_WORD}}$`;
export const PATH_SEGMENT_PATTERN = `^[!-.0-~]{1,${LONGEST_WORD}}$`;

const PRINTABLE_WORD = new RegExp(PRINTABLE_WORD_PATTERN);
const PATH_SEGMENT = new RegExp(PATH_SEGMENT_PATTERN);

/**
 * Reads a version, a model identifier or an audience: 1 to 256 printable ASCII characters, none of them a space. A
 * model identifier may hold `/`, `:` and `@` (`us.vendor/model-4:0`), a version `+` and `~`. It is the last part of
 * whatever a certificate composes it into, so nothing in it can be mistaken for another claim. `unknown` is refused:
 * certificates mean a missing claim by it.
 *
 * @returns the word as it was written, or undefined.
 */
export function parsePrintableWord(text: string): string | undefined {
  return PRINTABLE_WORD.test(text) && text !== 'unknown' ? text : undefined;
}

/** The same without `/`, for what a certificate follows with another part: the model's provider. */
export function parsePathSegment(text: string): string | undefined {
  return PATH_SEGMENT.test(text) && text !== 'unknown' ? text : undefined;
}
