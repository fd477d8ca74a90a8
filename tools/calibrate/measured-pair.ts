import { compareSources } from '@colophon/similarity';
import type { LabelledPair, PairFile } from './pairs.ts';

/** A pair and how alike it is, by us and by the baseline. */
export type MeasuredPair = LabelledPair & {
  /** Before any scale. */
  readonly measured: number;
  readonly baseline: number;
  readonly isTooSmall: boolean;
};

/** Measures every pair. */
export function measurePairs(pairs: readonly LabelledPair[], files: ReadonlyMap<string, PairFile>): MeasuredPair[] {
  return pairs.map((pair) => {
    const [a, b] = [files.get(pair.a)!, files.get(pair.b)!];
    const { measured, verdict } = compareSources(a.source, b.source);
    return {
      ...pair,
      measured,
      baseline: jaccard(a.tokens, b.tokens),
      isTooSmall: verdict === 'too small to tell',
    };
  });
}

/** Pairs of strangers: one file of each project with one of each other project of its language. */
export function pairStrangers(pairs: readonly LabelledPair[]): LabelledPair[] {
  const fileOf = new Map<string, { readonly path: string; readonly of: LabelledPair }>();
  for (const pair of pairs) {
    for (const [path, project] of [
      [pair.a, pair.projects[0]],
      [pair.b, pair.projects[1]],
    ] as const) {
      const name = `${pair.language} ${project}`;
      if (!fileOf.has(name)) fileOf.set(name, { path, of: pair });
    }
  }
  const entries = [...fileOf];
  return entries.flatMap(([nameOfA, a], index) =>
    entries.slice(index + 1).flatMap(([nameOfB, b]): LabelledPair[] => {
      if (a.of.language !== b.of.language) return [];
      const { language } = a.of;
      const projects = [nameOfA, nameOfB] as const;
      return [{ label: 'strangers', isRelated: false, language, a: a.path, b: b.path, projects }];
    }),
  );
}

/** What anybody would try first. */
function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const token of a) if (b.has(token)) common += 1;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}
