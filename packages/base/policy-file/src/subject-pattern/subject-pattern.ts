import { compileFullMatch, type FullMatch, type InvalidPattern } from '../full-match/full-match.ts';
import { PROBE_SUBJECTS } from './probe-subjects.ts';

/** A pattern over certificate identities or issuers, compiled once. */
export type SubjectPattern = FullMatch & {
  /** False when the pattern also accepts names that nobody could have meant, as `.*` does, or is empty. */
  readonly constrains: boolean;
};

/**
 * Compiles a pattern that a person wrote, as a match of the whole text. Never throws.
 * @see contract §5.2
 */
export function compileSubjectPattern(pattern: string): SubjectPattern | InvalidPattern {
  const compiled = compileFullMatch(pattern);
  if (!compiled.ok) return compiled;
  const { matches } = compiled;
  return { ...compiled, constrains: pattern !== '' && !PROBE_SUBJECTS.some(matches) };
}

/** True for a pattern that compiles and yet pins nobody down: empty, `.*`, `^.*$`, `(a|.*)`, `.+@.+`. */
export function isUnconstrained(pattern: string): boolean {
  const compiled = compileSubjectPattern(pattern);
  return compiled.ok && !compiled.constrains;
}
