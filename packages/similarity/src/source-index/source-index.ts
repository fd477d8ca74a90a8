import {
  areComparable,
  type Comparison,
  compareSources,
  isTooSmall,
  type Thresholds,
} from '../comparison/comparison.ts';
import { LANGUAGES } from '../language/language.ts';
import { type MarkPlaces, placesOfMarks } from '../matching/matching.ts';
import { type Rarity, rarityAmong, rarityIn } from '../rarity/rarity.ts';
import type { Source } from '../source/source.ts';
import { overlapOf } from '../vocabulary/vocabulary.ts';
import { createPostings, type Postings } from './postings.ts';

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
const CANDIDATES_BY_MARKS = 5;
const CANDIDATES_BY_WORDS = 3;
// What more files have leads to none of them: in a package of a thousand it is a word like `length`.
const MOST_FILES_PER_HASH = 300;

/**
 * An index of files by their marks and words, so that a file is compared in full only with those that can be like it.
 * Asking costs the marks and words of the asked file times the files that have each.
 * @param packages the name of each file's package, where there are many: what many of them have says little
 */
export function createSourceIndex(sources: readonly Source[], packages: readonly string[] = []): SourceIndex {
  const byMark = createPostings(sources.map(({ fingerprint }) => fingerprint.hashes));
  const byWord = createPostings(sources.map(({ vocabulary }) => vocabulary));
  const rarityOf = rarityWithin(byMark, packages);
  const tooSmall = sources.map(isTooSmall);
  const places = new Map<number, MarkPlaces>();
  const placesOf = (index: number) => {
    const known = places.get(index) ?? placesOfMarks(sources[index]!.fingerprint);
    places.set(index, known);
    return known;
  };
  const weights = new Float64Array(sources.length);

  /** The files with the most of what `hashes` are worth, by `weigh`. */
  const most = (
    hashes: Iterable<number>,
    files: Postings,
    worth: (hash: number) => number,
    isEligible: (index: number) => boolean,
    limit: number,
    weigh: (index: number, worth: number) => number,
  ): number[] => {
    const found: number[] = [];
    for (const hash of hashes) {
      const value = worth(hash);
      if (value === 0) continue;
      files.each(hash, MOST_FILES_PER_HASH, (index) => {
        if (weights[index] === 0) found.push(index);
        weights[index]! += value;
      });
    }
    const best: Candidate[] = [];
    for (const index of found) {
      if (!isEligible(index)) continue;
      const candidate = { index, weight: weigh(index, weights[index]!) };
      const last = best.at(-1);
      if (best.length === limit && last !== undefined && !isBefore(candidate, last)) continue;
      const place = best.findIndex((one) => isBefore(candidate, one));
      best.splice(place === -1 ? best.length : place, 0, candidate);
      if (best.length > limit) best.pop();
    }
    for (const index of found) weights[index] = 0;
    return best.map(({ index }) => index);
  };

  const bestMatch = (source: Source, thresholds?: Thresholds): BestMatch | undefined => {
    const comparable = new Set(LANGUAGES.filter((language) => areComparable(source.language, language)));
    const isComparable = (index: number) => comparable.has(sources[index]!.language);
    const isAnySize = isTooSmall(source);
    const isTelling = (index: number) => isComparable(index) && (isAnySize || !tooSmall[index]);
    const eligible = sources.some((_, index) => isTelling(index)) ? isTelling : isComparable;
    const rarity = rarityOf(source);
    const candidates = new Set([
      // The longest run may be in a file that has little else in common: marks are counted, and not their share.
      ...most(new Set(source.fingerprint.hashes), byMark, rarity, eligible, CANDIDATES_BY_MARKS, (_, worth) => worth),
      ...most(
        source.vocabulary,
        byWord,
        () => 1,
        eligible,
        CANDIDATES_BY_WORDS,
        (index, count) => overlapOf(count, source.vocabulary.length, sources[index]!.vocabulary.length),
      ),
    ]);
    if (candidates.size === 0) {
      const any = sources.findIndex((_, index) => eligible(index));
      if (any !== -1) candidates.add(any);
    }
    const marks = placesOfMarks(source.fingerprint);
    let best: BestMatch | undefined;
    for (const index of [...candidates].sort((one, other) => one - other)) {
      const context = { thresholds, rarity, marks: { a: marks, b: placesOf(index) } };
      const comparison = compareSources(source, sources[index]!, context);
      if (best === undefined || comparison.score > best.comparison.score) best = { index, comparison };
    }
    return best;
  };
  return { bestMatch };
}

type Candidate = { readonly index: number; readonly weight: number };

/** The heavier first, of equals the one that comes first. */
function isBefore(one: Candidate, other: Candidate): boolean {
  return one.weight > other.weight || (one.weight === other.weight && one.index < other.index);
}

/** How rare the marks of a file are: by the table of common marks, and by how many packages of an index have them. */
function rarityWithin(byMark: Postings, packages: readonly string[]): (source: Source) => Rarity {
  const numbers = new Map<string, number>();
  const packageOf = Uint32Array.from(packages, (name) => {
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  });
  if (numbers.size < 2) return ({ language }) => rarityIn(language);
  const known = new Map<number, number>();
  const amongPackages = (mark: number) => {
    const before = known.get(mark);
    if (before !== undefined) return before;
    const [from, to] = byMark.range(mark);
    const having = new Set<number>();
    for (let at = from; at < to; at += 1) having.add(packageOf[byMark.fileAt(at)]!);
    const rarity = rarityAmong(having.size, numbers.size);
    known.set(mark, rarity);
    return rarity;
  };
  return ({ language }) => {
    const shipped = rarityIn(language);
    return (mark) => Math.min(shipped(mark), amongPackages(mark));
  };
}
