import type { Source } from '../source/source.ts';
import { overlapOf } from '../vocabulary/vocabulary.ts';
import { createPostings } from './postings.ts';

// A word that more files have leads to none of them: in a package of a thousand it is one like `length`.
const MOST_FILES_PER_WORD = 300;

/** Finds the files that have most names and literals in common with a file, at most `limit`; of equals the first. */
export function createWordFinder(
  sources: readonly Source[],
): (source: Source, isEligible: (index: number) => boolean, limit: number) => number[] {
  const { find, starts, files } = createPostings(sources.map(({ vocabulary }) => vocabulary));
  const sizes = Uint32Array.from(sources, ({ vocabulary }) => vocabulary.length);
  const counts = new Uint32Array(sources.length);
  return ({ vocabulary }, isEligible, limit) => {
    const found: number[] = [];
    for (const word of vocabulary) {
      const number = find(word);
      if (number === -1) continue;
      const from = starts[number]!;
      const to = starts[number + 1]!;
      if (to - from > MOST_FILES_PER_WORD) continue;
      for (let at = from; at < to; at += 1) {
        const index = files[at]!;
        if (counts[index] === 0) found.push(index);
        counts[index]! += 1;
      }
    }
    const best: Array<{ index: number; overlap: number }> = [];
    for (const index of found) {
      const overlap = overlapOf(counts[index]!, vocabulary.length, sizes[index]!);
      counts[index] = 0;
      const last = best.at(-1);
      const isFull = best.length === limit;
      if (isFull && (overlap < last!.overlap || (overlap === last!.overlap && index > last!.index))) continue;
      if (!isEligible(index)) continue;
      best.push({ index, overlap });
      best.sort((one, other) => other.overlap - one.overlap || one.index - other.index);
      if (best.length > limit) best.pop();
    }
    return best.map(({ index }) => index);
  };
}
