import { RE2JS } from 're2js';

/** Longest pattern, in UTF-16 units, that is compiled at all. */
export const MAX_PATTERN_LENGTH = 1024;

/** Longest text, in UTF-16 units, that a pattern is tried on; a longer one matches nothing. */
export const MAX_MATCHED_LENGTH = 10 * 1024;

/** A pattern, compiled once. */
export type FullMatch = {
  readonly ok: true;
  /** True only when the whole text matches; linear in its length. */
  matches(text: string): boolean;
};

/** Why a pattern could not be compiled, for a person. */
export type InvalidPattern = { readonly ok: false; readonly message: string };

/**
 * Compiles a pattern that a person wrote, by RE2 and as a full match: `agent:x` does not match `agent:xy`, and `^`
 * and `$` around it change nothing. Never throws.
 */
export function compileFullMatch(pattern: string): FullMatch | InvalidPattern {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return { ok: false, message: `the pattern is longer than ${MAX_PATTERN_LENGTH} characters` };
  }
  try {
    // Alone first: `a)(b` is no pattern, yet it would become one between our parentheses.
    RE2JS.compile(pattern);
    const compiled = RE2JS.compile(`^(?:${pattern})$`);
    return { ok: true, matches: (text) => text.length <= MAX_MATCHED_LENGTH && compiled.matches(text) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : 'not a pattern' };
  }
}
