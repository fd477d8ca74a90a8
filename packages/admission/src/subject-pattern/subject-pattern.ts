import { RE2JS } from 're2js';
import { PROBE_SUBJECTS } from './probe-subjects.ts';

/** Longest pattern, in UTF-16 units, that is compiled at all. */
export const MAX_PATTERN_LENGTH = 1024;

/** Longest text that a pattern is tried on; a longer one matches nothing. */
export const MAX_SUBJECT_LENGTH = 10 * 1024;

/** A pattern over certificate identities or issuers, compiled once. */
export type SubjectPattern = {
  readonly ok: true;
  /** True only when the whole text matches; linear in its length. */
  matches(text: string): boolean;
  /** False when the pattern also accepts names that nobody could have meant, as `.*` does, or is empty. */
  readonly constrains: boolean;
};

/** Why a pattern could not be compiled, for a person. */
export type InvalidSubjectPattern = { readonly ok: false; readonly message: string };

/**
 * Compiles a pattern that a person wrote, by RE2 and as a full match: `agent:x` does not match `agent:xy`, and `^`
 * and `$` around it change nothing. Never throws.
 * @see contract §5.2
 */
export function compileSubjectPattern(pattern: string): SubjectPattern | InvalidSubjectPattern {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return { ok: false, message: `the pattern is longer than ${MAX_PATTERN_LENGTH} characters` };
  }
  let compiled: RE2JS;
  try {
    // Alone first: `a)(b` is no pattern, yet it would become one between our parentheses.
    RE2JS.compile(pattern);
    compiled = RE2JS.compile(`^(?:${pattern})$`);
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : 'not a pattern' };
  }
  const matches = (text: string) => text.length <= MAX_SUBJECT_LENGTH && compiled.matches(text);
  return { ok: true, matches, constrains: pattern !== '' && !PROBE_SUBJECTS.some(matches) };
}

/** True for a pattern that compiles and yet pins nobody down: empty, `.*`, `^.*$`, `(a|.*)`, `.+@.+`. */
export function isUnconstrained(pattern: string): boolean {
  const compiled = compileSubjectPattern(pattern);
  return compiled.ok && !compiled.constrains;
}
