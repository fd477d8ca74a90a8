import { bestEvidence, type Evidence } from '../evidence/evidence.ts';
import type { Language } from '../language/language.ts';
import { type MarkPlaces, type Match, matchesIn } from '../matching/matching.ts';
import { type Rarity, rarityIn } from '../rarity/rarity.ts';
import { NOISE, STRONG, scaleFor, scoreOf } from '../scale/scale.ts';
import type { Source } from '../source/source.ts';
import { MINIMUM_TOKENS } from '../unit/unit.ts';
import { countCommon, overlapOf } from '../vocabulary/vocabulary.ts';

/** What a score is worth. */
export const VERDICTS = ['strong', 'weak', 'noise', 'too small to tell'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Scores from `strong` on and up to `noise`; what is between is weak. */
export type Thresholds = { readonly strong: number; readonly noise: number };

/** How alike two files are, and in what; each number 0 to 1. */
export type Comparison = {
  /** The same whichever file comes first. */
  readonly score: number;
  readonly verdict: Verdict;
  /** The likeness before it is brought to the language's scales: in runs of tokens, and in words. */
  readonly measured: { readonly runs: number; readonly words: number };
  /** How much of each file's tokens stand in the other, in runs of at least `GRAM`. */
  readonly contained: { readonly a: number; readonly b: number };
  /** How much of their names and literals the files have in common, and of their comments where both have some. */
  readonly vocabulary: number;
  readonly tokens: { readonly a: number; readonly b: number };
  /** The two parts that say most, and what they have in common; undefined where there is none. */
  readonly evidence: Evidence | undefined;
  /** Runs of A that stand in B. */
  readonly matches: readonly Match[];
};

/** Whether files of two languages have a syntax in common. A package of JavaScript may be rewritten in TypeScript. */
export function areComparable(a: Language, b: Language): boolean {
  return a === b || [a, b].every((language) => language === 'javascript' || language === 'typescript');
}

/** What is known before two files are compared. */
export type ComparisonContext = {
  readonly thresholds?: Thresholds | undefined;
  /** How much a mark says; else what the table of common marks says. */
  readonly rarity?: Rarity | undefined;
  /** Where the marks of each file are, for who compares a file often. */
  readonly marks?: { readonly a?: MarkPlaces; readonly b?: MarkPlaces };
};

/** Compares two files of comparable languages. Time is linear in both. */
export function compareSources(a: Source, b: Source, context: ComparisonContext = {}): Comparison {
  const { thresholds = { strong: STRONG, noise: NOISE }, rarity = rarityIn(a.language), marks = {} } = context;
  const matches = matchesIn(a, b, marks.b);
  const matchesOfB = matchesIn(b, a, marks.a);
  const [inA, inB] = [lengthOf(matches), lengthOf(matchesOfB)];
  const tokens = { a: a.symbols.length, b: b.symbols.length };
  const vocabulary = vocabularyOverlap(a, b);
  const evidence = better(bestEvidence(a, b, matches, rarity), turnedAround(bestEvidence(b, a, matchesOfB, rarity)));
  const measured = { runs: evidence?.strength ?? 0, words: vocabulary };
  const scale = scaleFor(a.language, b.language);
  const score = Math.max(scoreOf(measured.runs, scale.runs), scoreOf(measured.words, scale.words));
  return {
    score,
    measured,
    verdict: isTooSmall(a) || isTooSmall(b) ? 'too small to tell' : verdictOf(score, thresholds),
    contained: { a: share(inA, tokens.a), b: share(inB, tokens.b) },
    vocabulary,
    tokens,
    evidence,
    matches,
  };
}

function better(one: Evidence | undefined, other: Evidence | undefined): Evidence | undefined {
  return (other?.strength ?? 0) > (one?.strength ?? 0) ? other : one;
}

function turnedAround(evidence: Evidence | undefined): Evidence | undefined {
  if (evidence === undefined) return undefined;
  const { placeInA, placeInB, length } = evidence.match;
  return { ...evidence, a: evidence.b, b: evidence.a, match: { placeInA: placeInB, placeInB: placeInA, length } };
}

/** Whether a file is so small that no likeness to it says anything. */
export function isTooSmall(source: Source): boolean {
  return sizeOf(source) < MINIMUM_TOKENS;
}

/** A table of data has few tokens that count and many words. */
function sizeOf({ symbols, vocabulary }: Source): number {
  return Math.max(symbols.length, vocabulary.length);
}

/** What a score is called; never too small. */
export function verdictOf(score: number, { strong, noise }: Thresholds): Verdict {
  if (score >= strong) return 'strong';
  return score <= noise ? 'noise' : 'weak';
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
