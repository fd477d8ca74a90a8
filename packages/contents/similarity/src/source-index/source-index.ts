import {
  areComparable,
  type Comparison,
  compareSources,
  isTooSmall,
  type Thresholds,
  verdictOf,
} from '../comparison/comparison.ts';
import { strengthOf } from '../evidence/evidence.ts';
import { LANGUAGES } from '../language/language.ts';
import { type MarkPlaces, placesOfMarks } from '../matching/matching.ts';
import { type Rarity, rarityAmong, rarityIn } from '../rarity/rarity.ts';
import { NOISE, STRONG, scaleFor, scoreOf } from '../scale/scale.ts';
import type { Source } from '../source/source.ts';
import { createRunFinder } from './longest-runs.ts';
import { createWordFinder } from './most-words.ts';
import { createPostings, type Postings } from './postings.ts';

/** The file of an index that is most like another one. */
export type BestMatch = {
  /** Its place in the list that the index was made of. */
  readonly index: number;
  readonly comparison: Comparison;
};

/** Many files that others are compared with. */
export type SourceIndex = {
  /**
   * The most alike file of a comparable language, the first of equals; undefined where there is none. A file that is too
   * small to tell anything is named only where there is no other: next to a package's thousand small files, which have
   * all their few words in common with anything, the one that counts would not be seen.
   */
  readonly bestMatch: (source: Source, thresholds?: Thresholds) => BestMatch | undefined;
};

// So many are compared in full, whatever they can be: it is nearly always the first of these.
const CANDIDATES_BY_RUN = 4;
const CANDIDATES_BY_WORDS = 3;

/**
 * An index of files by their marks and words, so that a file is compared in full only with those that can be like it.
 * Asking costs the marks and words of the asked file times the files that have each.
 * @param packages the name of each file's package, where there are many: what many of them have says little
 */
export function createSourceIndex(sources: readonly Source[], packages: readonly string[] = []): SourceIndex {
  const byMark = createPostings(sources.map(({ fingerprint }) => fingerprint.hashes));
  const possibleRuns = createRunFinder(byMark, sources.length);
  const mostWords = createWordFinder(sources);
  const rarityOf = rarityWithin(byMark, packages);
  const eligible = eligibleFiles(sources);
  const places = new Map<number, MarkPlaces>();
  const placesOf = (index: number) => {
    const known = places.get(index) ?? placesOfMarks(sources[index]!.fingerprint);
    places.set(index, known);
    return known;
  };

  const bestMatch = (source: Source, thresholds: Thresholds = { strong: STRONG, noise: NOISE }) => {
    const { first, isEligible } = eligible(source);
    if (first === -1) return undefined;
    const rarity = rarityOf(source);
    const marks = placesOfMarks(source.fingerprint);
    let best: BestMatch | undefined;
    const compared = new Set<number>();
    const compare = (index: number) => {
      if (compared.has(index)) return;
      compared.add(index);
      const context = { thresholds, rarity, marks: { a: marks, b: placesOf(index) } };
      const comparison = compareSources(source, sources[index]!, context);
      const difference = comparison.score - (best?.comparison.score ?? -1);
      if (difference > 0 || (difference === 0 && index < best!.index)) best = { index, comparison };
    };
    for (const index of mostWords(source, isEligible, CANDIDATES_BY_WORDS)) compare(index);
    possibleRuns(source, rarity, isEligible).forEach(({ index, worth }, place) => {
      if (place >= CANDIDATES_BY_RUN) {
        // Names that do not go together may have made nothing of the longer runs: on while there can be a better verdict.
        const most = scoreOf(strengthOf(worth, 1), scaleFor(source.language, sources[index]!.language).runs);
        const { score } = best!.comparison;
        if (most <= score || verdictOf(most, thresholds) === verdictOf(score, thresholds)) return;
      }
      compare(index);
    });
    if (best === undefined) compare(first);
    return best;
  };
  return { bestMatch };
}

/** The files that a file is compared with, as tests of their index, and the first of them; -1 where there is none. */
function eligibleFiles(sources: readonly Source[]) {
  const comparable = new Map(
    LANGUAGES.map((language) => [language, sources.map((source) => areComparable(language, source.language))]),
  );
  const tooSmall = sources.map(isTooSmall);
  const telling = new Map(
    [...comparable].map(([language, are]) => [language, are.map((is, at) => is && !tooSmall[at])]),
  );
  return (source: Source) => {
    const all = comparable.get(source.language)!;
    const large = telling.get(source.language)!;
    const chosen = isTooSmall(source) || !large.includes(true) ? all : large;
    return { first: chosen.indexOf(true), isEligible: (index: number) => chosen[index]! };
  };
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
  const { find, starts, files } = byMark;
  const known = new Float64Array(starts.length).fill(-1);
  const amongPackages = (mark: number) => {
    const found = find(mark);
    if (found === -1) return 1;
    if (known[found]! < 0) {
      const having = new Set<number>();
      for (let at = starts[found]!; at < starts[found + 1]!; at += 1) having.add(packageOf[files[at]!]!);
      known[found] = rarityAmong(having.size, numbers.size);
    }
    return known[found]!;
  };
  return ({ language }) => {
    const shipped = rarityIn(language);
    return (mark) => Math.min(shipped(mark), amongPackages(mark));
  };
}
