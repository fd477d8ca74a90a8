import { compareSources, createSourceIndex } from '@colophon/similarity';
import type { CorpusHalf } from './corpus.ts';
import { createDice } from './dice.ts';

/** A file and one of another project, and what they have in common before any scale. */
export type Strangers = {
  readonly a: string;
  readonly b: string;
  readonly runs: number;
  readonly words: number;
};

/** So many pairs are drawn in each language. */
export const STRANGER_PAIRS = 2000;
/** Each third of the projects asks once, and the others are in the index. */
const ASKING = 3;

/** Pairs of files of different projects, drawn by chance. */
export function drawStrangers({ files, projects }: CorpusHalf): Strangers[] {
  if (projects < 2) return [];
  const dice = createDice(1);
  const pairs: Strangers[] = [];
  while (pairs.length < STRANGER_PAIRS) {
    const [a, b] = [files[dice(files.length)]!, files[dice(files.length)]!];
    if (a.project === b.project) continue;
    pairs.push({ a: a.path, b: b.path, ...compareSources(a.source, b.source).measured });
  }
  return pairs;
}

/** For each file the most alike one of an index of other projects: those of two thirds, never its own. */
export function askIndex({ files }: CorpusHalf): Strangers[] {
  const projects = [...new Set(files.map(({ project }) => project))].sort();
  const thirdOf = new Map(projects.map((project, index) => [project, index % ASKING]));
  const found: Strangers[] = [];
  for (let third = 0; third < ASKING; third += 1) {
    const indexed = files.filter(({ project }) => thirdOf.get(project) !== third);
    const index = createSourceIndex(
      indexed.map(({ source }) => source),
      indexed.map(({ project }) => project),
    );
    for (const a of files) {
      if (thirdOf.get(a.project) !== third) continue;
      const best = index.bestMatch(a.source);
      if (best !== undefined) found.push({ a: a.path, b: indexed[best.index]!.path, ...best.comparison.measured });
    }
  }
  return found;
}
