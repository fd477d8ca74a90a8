import {
  areComparable,
  type Comparison,
  compareSources,
  isTooSmall,
  type Thresholds,
} from '../comparison/comparison.ts';
import { type MarkPlaces, placesOfMarks } from '../matching/matching.ts';
import type { Source } from '../source/source.ts';
import { overlapOf } from '../vocabulary/vocabulary.ts';

/** The file of an index that is most like another one. */
export type BestMatch = {
  /** Its place in the list that the index was made of. */
  readonly index: number;
  readonly comparison: Comparison;
};

/** Many files that others are held against. */
export type SourceIndex = {
  /**
   * The most alike file of a comparable language, the first of equals; undefined where there is none. A file that is too
   * small to tell anything is named only where there is no other: next to a package's thousand small files, which have
   * all their few words in common with anything, the one that counts would not be seen.
   */
  readonly bestMatch: (source: Source, thresholds?: Thresholds) => BestMatch | undefined;
};

// Who has most marks or words in common with a file is compared with it in full. It is nearly always the first of these.
const CANDIDATES_BY_SHAPE = 5;
const CANDIDATES_BY_WORDS = 3;
// What more files have leads to none of them: in a package of a hundred thousand it is a word like `length`.
const MOST_FILES_PER_HASH = 2000;

/**
 * An index of files by their marks and words, so that a file is compared in full only with those that can be like it.
 * Asking costs the marks and words of the asked file times the files that have each.
 */
export function createSourceIndex(sources: readonly Source[]): SourceIndex {
  const byMark = postings(sources, ({ fingerprint }) => fingerprint.hashes);
  const byWord = postings(sources, ({ vocabulary }) => vocabulary);
  const tooSmall = sources.map(isTooSmall);
  const marks = new Map<number, MarkPlaces>();
  const marksOf = (index: number) => {
    const known = marks.get(index) ?? placesOfMarks(sources[index]!.fingerprint);
    marks.set(index, known);
    return known;
  };

  const bestMatch = (source: Source, thresholds?: Thresholds): BestMatch | undefined => {
    const isComparable = (index: number) => areComparable(source.language, sources[index]!.language);
    const isAnySize = isTooSmall(source);
    const isTelling = (index: number) => isComparable(index) && (isAnySize || !tooSmall[index]);
    const eligible = sources.some((_, index) => isTelling(index)) ? isTelling : isComparable;
    const shared = counts(source.fingerprint.hashes, byMark);
    const common = counts(source.vocabulary, byWord);
    const candidates = new Set([
      ...most(shared, eligible, CANDIDATES_BY_SHAPE, (index, count) => {
        const fewest = Math.min(source.fingerprint.hashes.length, sources[index]!.fingerprint.hashes.length);
        return count / (fewest + 8);
      }),
      ...most(common, eligible, CANDIDATES_BY_WORDS, (index, count) =>
        overlapOf(count, source.vocabulary.length, sources[index]!.vocabulary.length),
      ),
    ]);
    if (candidates.size === 0) {
      const any = sources.findIndex((_, index) => eligible(index));
      if (any !== -1) candidates.add(any);
    }
    const marksOfSource = placesOfMarks(source.fingerprint);
    let best: BestMatch | undefined;
    for (const index of [...candidates].sort((one, other) => one - other)) {
      const comparison = compareSources(source, sources[index]!, thresholds, { a: marksOfSource, b: marksOf(index) });
      if (best === undefined || comparison.score > best.comparison.score) best = { index, comparison };
    }
    return best;
  };
  return { bestMatch };
}

type Postings = ReadonlyMap<number, readonly number[]>;

/** Which files have a hash, each file once. */
function postings(sources: readonly Source[], hashesOf: (source: Source) => Uint32Array): Postings {
  const files = new Map<number, number[]>();
  sources.forEach((source, index) => {
    for (const hash of hashesOf(source)) {
      const known = files.get(hash);
      if (known === undefined) files.set(hash, [index]);
      else if (known.at(-1) !== index && known.length <= MOST_FILES_PER_HASH) known.push(index);
    }
  });
  return files;
}

/** How many of the hashes each file has. */
function counts(hashes: Uint32Array, files: Postings): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const hash of new Set(hashes)) {
    const having = files.get(hash);
    if (having === undefined || having.length > MOST_FILES_PER_HASH) continue;
    for (const index of having) found.set(index, (found.get(index) ?? 0) + 1);
  }
  return found;
}

function most(
  found: ReadonlyMap<number, number>,
  isEligible: (index: number) => boolean,
  limit: number,
  weigh: (index: number, count: number) => number,
): number[] {
  return [...found]
    .filter(([index]) => isEligible(index))
    .map(([index, count]) => ({ index, weight: weigh(index, count) }))
    .sort((one, other) => other.weight - one.weight || one.index - other.index)
    .slice(0, limit)
    .map(({ index }) => index);
}
