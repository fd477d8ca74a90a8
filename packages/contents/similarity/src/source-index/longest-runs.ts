import { GRAM, WINDOW } from '../fingerprint/fingerprint.ts';
import type { Rarity } from '../rarity/rarity.ts';
import type { Source } from '../source/source.ts';
import type { Postings } from './postings.ts';

/** A file of an index and what a run of tokens in common with it can be worth at most. */
export type PossibleRun = { readonly index: number; readonly worth: number };

// Runs of the asked file that begin in the same stretch of so many tokens compete with each other, and with no others.
const STRETCH = 64;
const MOST_PER_STRETCH = 4;
// Of a mark that more files have the first ones are looked at: the same ones each time.
const MOST_FILES_PER_MARK = 300;
// A run goes on for at most so many tokens outside of the marks in common that it has.
const MARGIN = WINDOW - 1;

/**
 * Finds the files with which a file can have the longest runs in common: marks that follow each other in it and that a
 * file of the index all has, in whatever order. Each stretch of the file names its own, so that what stands in one part
 * of a file, longer or in more files of the index, pushes out nothing that another part was taken from.
 * @param files how many are in the index
 * @returns the longest first, of equals the first file first; each file once
 */
export function createRunFinder(
  byMark: Postings,
  files: number,
): (source: Source, rarity: Rarity, isEligible: (index: number) => boolean) => PossibleRun[] {
  const { find, starts, files: having } = byMark;
  /** The number of the last mark of each file's run, and the tokens at which its first and last mark begin. */
  const lastMark = new Int32Array(files);
  const first = new Uint32Array(files);
  const last = new Uint32Array(files);

  return (source, rarity, isEligible) => {
    const { hashes, places } = source.fingerprint;
    const worth = worthBefore(source, rarity);
    const stretches: PossibleRun[][] = [];
    const touched: number[] = [];
    const finish = (index: number) => {
      const from = Math.max(0, first[index]! - MARGIN);
      const to = Math.min(source.symbols.length, last[index]! + GRAM + MARGIN);
      const run = { index, worth: worth[to]! - worth[from]! };
      const stretch = Math.floor(first[index]! / STRETCH);
      stretches[stretch] ??= [];
      insert(stretches[stretch], run, isEligible);
    };
    let mark = 1;
    for (let at = 0; at < hashes.length; at += 1) {
      // A common mark neither begins a run nor ends one.
      if (rarity(hashes[at]!) === 0) continue;
      const place = places[at]!;
      const found = find(hashes[at]!);
      if (found === -1) {
        mark += 1;
        continue;
      }
      const from = starts[found]!;
      // Nor does one that not all files are looked at for end any.
      const isCut = starts[found + 1]! - from > MOST_FILES_PER_MARK;
      const to = isCut ? from + MOST_FILES_PER_MARK : starts[found + 1]!;
      const previous = mark;
      if (!isCut) mark += 1;
      for (let entry = from; entry < to; entry += 1) {
        const index = having[entry]!;
        if (lastMark[index]! < previous) {
          if (lastMark[index] === 0) touched.push(index);
          else finish(index);
          first[index] = place;
        }
        lastMark[index] = mark;
        last[index] = place;
      }
    }
    for (const index of touched) {
      finish(index);
      lastMark[index] = 0;
    }
    return longestOfEach(stretches.flat());
  };
}

/** What the tokens of a file before each of them are worth together, and one more: a token as its rarest mark. */
function worthBefore({ fingerprint, symbols }: Source, rarity: Rarity): Float64Array {
  const sums = new Float64Array(symbols.length + 1);
  const { hashes, places } = fingerprint;
  for (let at = 0; at < hashes.length; at += 1) {
    const weight = rarity(hashes[at]!);
    const from = places[at]!;
    for (let token = from + GRAM; token > from && sums[token]! < weight; token -= 1) sums[token] = weight;
  }
  for (let at = 1; at < sums.length; at += 1) sums[at]! += sums[at - 1]!;
  return sums;
}

function insert(runs: PossibleRun[], run: PossibleRun, isEligible: (index: number) => boolean): void {
  const shortest = runs.at(-1);
  if (runs.length >= MOST_PER_STRETCH && !isBefore(run, shortest!)) return;
  if (!isEligible(run.index)) return;
  runs.push(run);
  for (let at = runs.length - 1; at > 0 && isBefore(runs[at]!, runs[at - 1]!); at -= 1) {
    [runs[at - 1], runs[at]] = [runs[at]!, runs[at - 1]!];
  }
  if (runs.length > MOST_PER_STRETCH) runs.pop();
}

function longestOfEach(runs: PossibleRun[]): PossibleRun[] {
  const seen = new Set<number>();
  return runs
    .sort((one, other) => other.worth - one.worth || one.index - other.index)
    .filter(({ index }) => !seen.has(index) && seen.add(index));
}

function isBefore(one: PossibleRun, other: PossibleRun): boolean {
  return one.worth > other.worth || (one.worth === other.worth && one.index < other.index);
}
