import { compareSources, type Verdict } from '@colophon/similarity';
import type { LabelledPair, PairFile } from './pairs.ts';

/** A pair and how alike it is, by us and by the baseline. */
export type MeasuredPair = LabelledPair & {
  /** Before any scale. */
  readonly measured: { readonly runs: number; readonly words: number };
  readonly score: number;
  readonly verdict: Verdict;
  readonly baseline: number;
};

/** Measures every pair. */
export function measurePairs(pairs: readonly LabelledPair[], files: ReadonlyMap<string, PairFile>): MeasuredPair[] {
  return pairs.map((pair) => {
    const [a, b] = [files.get(pair.a)!, files.get(pair.b)!];
    const { measured, score, verdict } = compareSources(a.source, b.source);
    return { ...pair, measured, score, verdict, baseline: jaccard(a.tokens, b.tokens) };
  });
}

/** What anybody would try first. */
function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const token of a) if (b.has(token)) common += 1;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}
