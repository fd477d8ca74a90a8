import type { Language } from '../language/language.ts';
import { type MarkPlaces, type Match, matchesIn } from '../matching/matching.ts';
import { NOISE, STRONG, scaleFor, scoreOf } from '../scale/scale.ts';
import type { Source } from '../source/source.ts';
import { countCommon, overlapOf } from '../vocabulary/vocabulary.ts';

/** What a score is worth. */
export type Verdict = 'strong' | 'weak' | 'noise' | 'too small to tell';

/** Scores from `strong` on and up to `noise`; what is between is weak. */
export type Thresholds = { readonly strong: number; readonly noise: number };

/** How alike two files are, and in what; each number 0 to 1. */
export type Comparison = {
  /** The same whichever file comes first. */
  readonly score: number;
  readonly verdict: Verdict;
  /** The likeness before it is brought to the language's scale: in shape or in words, whichever says more. */
  readonly measured: number;
  /** How much of each file's tokens stand in the other, in runs of at least `GRAM`. */
  readonly contained: { readonly a: number; readonly b: number };
  /** How much of their names and literals the files have in common, and of their comments where both have some. */
  readonly vocabulary: number;
  readonly tokens: { readonly a: number; readonly b: number };
  /** Runs of A that stand in B. */
  readonly matches: readonly Match[];
};

/** A file with fewer tokens, and fewer words, says nothing: what everybody would write is already so long. */
export const MINIMUM_TOKENS = 50;
/** Each file counts as if it had so many more tokens: shape alone proves little about a short file. */
const DOUBT_TOKENS = 32;

/** Whether files of two languages have a syntax in common. A package of JavaScript may be rewritten in TypeScript. */
export function areComparable(a: Language, b: Language): boolean {
  return a === b || [a, b].every((language) => language === 'javascript' || language === 'typescript');
}

/** Compares two files of comparable languages. Time is linear in both. */
export function compareSources(
  a: Source,
  b: Source,
  thresholds: Thresholds = { strong: STRONG, noise: NOISE },
  marks: { readonly a?: MarkPlaces; readonly b?: MarkPlaces } = {},
): Comparison {
  const matches = matchesIn(a, b, marks.b);
  const inA = lengthOf(matches);
  const inB = lengthOf(matchesIn(b, a, marks.a));
  const tokens = { a: a.symbols.length, b: b.symbols.length };
  const vocabulary = vocabularyOverlap(a, b);
  const shape = Math.max(shapeOf(inA, tokens.a), shapeOf(inB, tokens.b));
  const measured = Math.max(shape, vocabulary);
  const score = scoreOf(measured, scaleFor(a.language, b.language));
  return {
    score,
    measured,
    verdict: isTooSmall(a) || isTooSmall(b) ? 'too small to tell' : verdictOf(score, thresholds),
    contained: { a: share(inA, tokens.a), b: share(inB, tokens.b) },
    vocabulary,
    tokens,
    matches,
  };
}

/** Whether a file is so small that no likeness to it says anything. */
export function isTooSmall(source: Source): boolean {
  return sizeOf(source) < MINIMUM_TOKENS;
}

/** A table of data has few tokens that count and many words. */
function sizeOf({ symbols, vocabulary }: Source): number {
  return Math.max(symbols.length, vocabulary.length);
}

function verdictOf(score: number, { strong, noise }: Thresholds): Verdict {
  if (score >= strong) return 'strong';
  return score <= noise ? 'noise' : 'weak';
}

/** How much the tokens of a file that stand in another prove; what is left of a table or a list proves nothing. */
function shapeOf(matched: number, tokens: number): number {
  return tokens < MINIMUM_TOKENS ? 0 : matched / (tokens + DOUBT_TOKENS);
}

/** Comments count where both files have some: to leave them out hides nothing, and to have other ones says something. */
function vocabularyOverlap(a: Source, b: Source): number {
  const hasComments = a.vocabularyWithComments !== undefined && b.vocabularyWithComments !== undefined;
  const ofA = hasComments ? a.vocabularyWithComments : a.vocabulary;
  const ofB = hasComments ? b.vocabularyWithComments : b.vocabulary;
  return overlapOf(countCommon(ofA, ofB), ofA.length, ofB.length);
}

function lengthOf(matches: readonly Match[]): number {
  return matches.reduce((sum, { length }) => sum + length, 0);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
