import { RE2JS } from 're2js';

/** Longest pattern, in UTF-16 units, that is compiled at all. */
export const MAX_PATTERN_LENGTH = 1024;

/** Longest text, in UTF-16 units, that a pattern is tried on; a longer one matches nothing. */
export const MAX_MATCHED_LENGTH = 10 * 1024;

/** Most that a pattern may become when what it repeats is written out: `(a{3}b){10}` becomes 40 atoms and ten groups. */
export const MAX_PATTERN_SIZE = 4096;

/** A pattern, compiled once. */
export type FullMatch = {
  readonly ok: true;
  /** True only when the whole text matches; linear in its length. */
  matches(text: string): boolean;
  /** The same whatever the case of its letters, also where `matches` says yes and the pattern excludes a case. */
  matchesInAnyCase(text: string): boolean;
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
  if (writtenOut(pattern) > MAX_PATTERN_SIZE) {
    return { ok: false, message: `the pattern repeats more than ${MAX_PATTERN_SIZE} parts` };
  }
  try {
    // Alone first: `a)(b` is no pattern, yet it would become one between our parentheses.
    RE2JS.compile(pattern);
    const compiled = RE2JS.compile(`^(?:${pattern})$`);
    const matches = (text: string) => text.length <= MAX_MATCHED_LENGTH && compiled.matches(text);
    let folded: RE2JS | undefined;
    const matchesFolded = (text: string) => {
      folded ??= RE2JS.compile(`^(?:${pattern})$`, RE2JS.CASE_INSENSITIVE);
      return text.length <= MAX_MATCHED_LENGTH && folded.matches(text);
    };
    return { ok: true, matches, matchesInAnyCase: (text) => matches(text) || matchesFolded(text) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : 'not a pattern' };
  }
}

const REPETITION = /\{(\d+)(?:,(\d*))?\}/y;
const CLASS = /\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]?/y;

/** How many parts a pattern has once its counted repetitions are written out, as the compiler of the pattern does. */
function writtenOut(pattern: string): number {
  const open = [{ parts: 0, last: 0 }];
  const add = (parts: number) => {
    const group = open.at(-1)!;
    group.parts += parts;
    group.last = parts;
  };
  for (let at = 0; at < pattern.length; ) {
    const from = at;
    const character = pattern[at];
    at += character === '\\' ? 2 : 1;
    if (character === '(') open.push({ parts: 1, last: 0 });
    else if (character === ')' && open.length > 1) add(open.pop()!.parts);
    else if (character === '[') {
      CLASS.lastIndex = from;
      at = CLASS.test(pattern) ? CLASS.lastIndex : at;
      add(1);
    } else if (character === '{') {
      REPETITION.lastIndex = from;
      const [text, least = '0', most = ''] = REPETITION.exec(pattern) ?? [];
      if (text === undefined) add(1);
      else {
        at = REPETITION.lastIndex;
        const group = open.at(-1)!;
        const more = group.last * (Math.max(Number(least), Number(most), 1) - 1);
        group.parts += more;
        group.last += more;
      }
    } else add(1);
  }
  return open.reduce((sum, { parts }) => sum + parts, 0);
}
