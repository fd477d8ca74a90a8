import { GRAM } from '../fingerprint/fingerprint.ts';
import type { Match } from '../matching/matching.ts';
import type { TokenStream } from '../token-stream/token-stream.ts';

/** Lines from 1, the last one included. */
export type LineRange = { readonly from: number; readonly to: number };

/** A stretch of one file and where it stands in the other. */
export type Region = { readonly a: LineRange; readonly b: LineRange; readonly token_count: number };

/** What regions are made of: the line of each token. */
export type Located = Pick<TokenStream, 'lines'>;

/** Matches as ranges of lines, in A's order; those that follow each other in both files are one. */
export function regionsOf(matches: readonly Match[], a: Located, b: Located): Region[] {
  const runs = joined(matches).filter(({ matched }) => matched >= GRAM);
  return runs.map(({ matched, fromA, toA, fromB, toB }) => ({
    a: linesOf(a, fromA, toA),
    b: linesOf(b, fromB, toB),
    token_count: matched,
  }));
}

/** The lines of the tokens from `start` up to `end`. */
export function linesOf({ lines }: Located, start: number, end: number): LineRange {
  return { from: lines[start]!, to: lines[end - 1]! };
}

type Run = { fromA: number; toA: number; fromB: number; toB: number; matched: number };

/** Runs of tokens; what is shorter than a run that is looked for may have been changed in between. */
function joined(matches: readonly Match[]): readonly Run[] {
  const runs: Run[] = [];
  for (const { placeInA, placeInB, length } of matches) {
    const last = runs.at(-1);
    const isNext =
      last !== undefined && placeInA - last.toA <= GRAM && placeInB >= last.toB && placeInB - last.toB <= GRAM;
    if (isNext) {
      last.toA = placeInA + length;
      last.toB = placeInB + length;
      last.matched += length;
    } else {
      runs.push({
        fromA: placeInA,
        toA: placeInA + length,
        fromB: placeInB,
        toB: placeInB + length,
        matched: length,
      });
    }
  }
  return runs;
}
