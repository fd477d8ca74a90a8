import { compareSources, createSourceIndex } from '@colophon/similarity';
import type { CorpusFile, CorpusHalf } from './corpus.ts';
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
/** So many files are held against an index of the others. */
export const ASKED_FILES = 200;
/** A third of the projects asks, the others are in the index. */
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

/** For files of some projects, drawn by chance, the most alike file of an index of all other projects. */
export function askIndex({ files }: CorpusHalf): Strangers[] {
  const projects = [...new Set(files.map(({ project }) => project))].sort();
  const asking = new Set(projects.filter((_, index) => index % ASKING === 0));
  const indexed = files.filter(({ project }) => !asking.has(project));
  const others = files.filter(({ project }) => asking.has(project));
  if (indexed.length === 0 || others.length === 0) return [];
  const dice = createDice(2);
  const asked = new Set<CorpusFile>();
  while (asked.size < Math.min(ASKED_FILES, others.length)) asked.add(others[dice(others.length)]!);
  const index = createSourceIndex(
    indexed.map(({ source }) => source),
    indexed.map(({ project }) => project),
  );
  return [...asked].flatMap((a): Strangers[] => {
    const best = index.bestMatch(a.source);
    if (best === undefined) return [];
    return [{ a: a.path, b: indexed[best.index]!.path, ...best.comparison.measured }];
  });
}
