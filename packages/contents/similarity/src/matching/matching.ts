import { type Fingerprint, GRAM } from '../fingerprint/fingerprint.ts';
import type { TokenStream } from '../token-stream/token-stream.ts';

/** A stream with its fingerprint. */
export type Fingerprinted = TokenStream & { readonly fingerprint: Fingerprint };

/** A run of tokens that stands in both streams. */
export type Match = { readonly placeInA: number; readonly placeInB: number; readonly length: number };

// A table of data has the same mark ten thousand times; the first few lead into it.
const MOST_PLACES_PER_MARK = 16;

/** Where each mark of a stream is, at most {@link MOST_PLACES_PER_MARK} of them. */
export type MarkPlaces = ReadonlyMap<number, readonly number[]>;

/** Where the marks of a stream are, for {@link matchesIn}. */
export function placesOfMarks({ hashes, places }: Fingerprint): MarkPlaces {
  const byMark = new Map<number, number[]>();
  for (let index = 0; index < hashes.length; index += 1) {
    const known = byMark.get(hashes[index]!);
    if (known === undefined) byMark.set(hashes[index]!, [places[index]!]);
    else if (known.length < MOST_PLACES_PER_MARK) known.push(places[index]!);
  }
  return byMark;
}

/**
 * The runs of A that stand somewhere in B, in A's order, without overlap in A: at each mark in common the longest run
 * around it. None is shorter than `GRAM` except where it leans on the one before. Time is linear in A's length.
 */
export function matchesIn(
  a: Fingerprinted,
  b: Fingerprinted,
  marksOfB: MarkPlaces = placesOfMarks(b.fingerprint),
): Match[] {
  const matches: Match[] = [];
  const { hashes, places } = a.fingerprint;
  let done = 0;
  for (let index = 0; index < hashes.length; index += 1) {
    const place = places[index]!;
    if (place + GRAM <= done) continue;
    let best: Match | undefined;
    for (const candidate of marksOfB.get(hashes[index]!) ?? []) {
      const match = extend(a.symbols, b.symbols, place, candidate, done);
      if (match !== undefined && match.length > (best?.length ?? 0)) best = match;
    }
    if (best === undefined) continue;
    matches.push(best);
    done = best.placeInA + best.length;
  }
  return matches;
}

/** The longest common run through two places, none of it before `from` in A; undefined where the hash alone agreed. */
function extend(a: Uint32Array, b: Uint32Array, placeInA: number, placeInB: number, from: number): Match | undefined {
  let start = 0;
  while (placeInA - start > from && placeInB - start > 0 && a[placeInA - start - 1] === b[placeInB - start - 1]) {
    start += 1;
  }
  // What A has before `from` is taken; the run may begin there.
  const skipped = Math.max(0, from - placeInA);
  let end = skipped;
  while (placeInA + end < a.length && placeInB + end < b.length && a[placeInA + end] === b[placeInB + end]) end += 1;
  if (skipped === 0 && end < GRAM) return undefined;
  if (end <= skipped) return undefined;
  return skipped > 0
    ? { placeInA: from, placeInB: placeInB + skipped, length: end - skipped }
    : { placeInA: placeInA - start, placeInB: placeInB - start, length: start + end };
}
