import { GRAM } from '../fingerprint/fingerprint.ts';
import type { Match } from '../matching/matching.ts';
import type { TokenStream } from '../token-stream/token-stream.ts';

/** Lines from 1, the last one included. */
export type LineRange = { readonly from: number; readonly to: number };

/** A stretch of one file and where it stands in the other. */
export type Region = { readonly a: LineRange; readonly b: LineRange; readonly tokens: number };

/** What regions are made of: the places of a file's tokens, and its text for the lines. */
export type Located = Pick<TokenStream, 'starts'> & { readonly text: string };

/** Matches as ranges of lines, in A's order; those that follow each other in both files are one. */
export function regionsOf(matches: readonly Match[], a: Located, b: Located): Region[] {
  const linesOfA = lineStarts(a.text);
  const linesOfB = lineStarts(b.text);
  const runs = joined(matches).filter(({ matched }) => matched >= GRAM);
  return runs.map(({ matched, fromA, toA, fromB, toB }) => ({
    a: { from: lineAt(linesOfA, a.starts[fromA]!), to: lineAt(linesOfA, a.starts[toA - 1]!) },
    b: { from: lineAt(linesOfB, b.starts[fromB]!), to: lineAt(linesOfB, b.starts[toB - 1]!) },
    tokens: matched,
  }));
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

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], place: number): number {
  let low = 0;
  let high = starts.length;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= place) low = middle;
    else high = middle;
  }
  return low + 1;
}
