import type { KnownText, KnownTexts } from './known-text.ts';
import type { Span } from './text-comparison.ts';

/** So many words in a row are looked up. */
const SEED_WORDS = 4;
/** Of a long text one seed in so many is kept. */
const SEED_SHARE = 4;
const LONG_TEXT_WORDS = 200;
/** Shorter texts (`Fair`, a line of public domain) stand by chance in others. */
const LEAST_WORDS = 20;
/** What may be left out tells nothing about where a text stands. */
const LONG_OPTIONAL_WORDS = 30;
/** A known text is looked at more closely where this share of its seeds stands together. */
const LEAST_SHARE = 0.3;
const MOST_CANDIDATES = 16;
const LEAST_OF_BEST = 0.4;

/** Where a known text may stand in another. */
export type Candidate = { readonly known: KnownText; readonly window: Span; readonly weight: number };
/** Seeds of known texts that stand in a text, in its order: which text, where in it, and where they were found. */
export type Hits = { readonly known: Int32Array; readonly at: Int32Array; readonly found: Int32Array };

/** Finds which known texts stand in a text, and about where. */
export class TextSearch {
  readonly #texts: readonly KnownText[];
  /** Of each seed: the known text and the place in it, by turns. */
  readonly #seeds = new Map<number, number[]>();
  readonly #seedCounts: readonly number[];

  constructor({ texts }: KnownTexts) {
    this.#texts = texts;
    this.#seedCounts = texts.map((text, known) => {
      if (text.words.length < LEAST_WORDS) return 0;
      const share = text.words.length > LONG_TEXT_WORDS ? SEED_SHARE : 1;
      const isOptional = longOptionalWords(text);
      const own = new Set<number>();
      for (let at = 0; at + SEED_WORDS <= text.words.length; at++) {
        const key = seedKey(text.words, at);
        if (key % share !== 0 || isOptional[at] === 1 || own.has(key)) continue;
        own.add(key);
        const seeds = this.#seeds.get(key);
        if (seeds === undefined) this.#seeds.set(key, [known, at]);
        else seeds.push(known, at);
      }
      return own.size;
    });
  }

  /** Every seed that stands in a part of a text. */
  hits(numbers: Int32Array, [from, to]: Span): Hits {
    const [known, at, found]: [number[], number[], number[]] = [[], [], []];
    for (let place = from; place + SEED_WORDS <= to; place++) {
      const seeds = this.#seeds.get(seedKey(numbers, place));
      if (seeds === undefined) continue;
      for (let index = 0; index < seeds.length; index += 2) {
        known.push(seeds[index]!);
        at.push(seeds[index + 1]!);
        found.push(place);
      }
    }
    return { known: Int32Array.from(known), at: Int32Array.from(at), found: Int32Array.from(found) };
  }

  /** The known texts of which most stands together in a part of a text, the likeliest first. */
  candidates(hits: Hits, [from, to]: Span): Candidate[] {
    const [start, end] = [lowerBound(hits.found, from), lowerBound(hits.found, to)];
    const counts = new Int32Array(this.#texts.length);
    for (let index = start; index < end; index++) counts[hits.known[index]!]!++;
    const own = new Map<number, number[]>();
    for (const [known, count] of counts.entries()) {
      if (count > 0 && count >= LEAST_SHARE * this.#seedCounts[known]!) own.set(known, []);
    }
    for (let index = start; index < end; index++) own.get(hits.known[index]!)?.push(index);
    const all = [...own].flatMap(([known, indexes]) => this.#densest(known, indexes, hits, [from, to]) ?? []);
    all.sort((left, right) => right.weight - left.weight);
    const least = (all[0]?.weight ?? 0) * LEAST_OF_BEST;
    return all.filter(({ weight }) => weight >= least).slice(0, MOST_CANDIDATES);
  }

  /** The window, somewhat longer than the known text, that holds most of its seeds. */
  #densest(known: number, indexes: readonly number[], { at, found }: Hits, [from, to]: Span): Candidate | undefined {
    const text = this.#texts[known]!;
    const size = text.words.length;
    const width = Math.ceil(size * 1.3) + 60;
    const counts = new Uint16Array(size);
    let [left, distinct, best, bestLeft, bestRight] = [0, 0, 0, 0, 0];
    for (let right = 0; right < indexes.length; right++) {
      const index = indexes[right]!;
      if (counts[at[index]!]!++ === 0) distinct++;
      while (found[index]! - found[indexes[left]!]! > width) if (--counts[at[indexes[left++]!]!]! === 0) distinct--;
      if (distinct > best) [best, bestLeft, bestRight] = [distinct, left, right];
    }
    const share = best / this.#seedCounts[known]!;
    if (share < LEAST_SHARE) return undefined;
    const [first, last] = [indexes[bestLeft]!, indexes[bestRight]!];
    const start = Math.max(from, found[first]! - at[first]! - 20);
    const stop = Math.max(found[last]! + (size - at[last]!), found[first]! + SEED_WORDS) + 20 + longestVariant(text);
    const window: Span = [start, Math.max(Math.min(to, stop), found[last]! + SEED_WORDS)];
    return { known: text, window, weight: share * share * size };
  }
}

/** Words that may stand after the last one of a known text. */
function longestVariant({ words, variants }: KnownText): number {
  const last = variants.filter(({ end }) => end === words.length).flatMap(({ alternatives }) => alternatives);
  return last.reduce((longest, { length }) => Math.max(longest, length), 0);
}

function longOptionalWords({ words, variants }: KnownText): Uint8Array {
  const isOptional = new Uint8Array(words.length);
  for (const { start, end, alternatives } of variants) {
    const isLong = end - start >= LONG_OPTIONAL_WORDS && alternatives.some((one) => one.length === 0);
    if (isLong) isOptional.fill(1, start, end);
  }
  return isOptional;
}

/** The first place in ascending numbers that holds a number or a larger one. */
function lowerBound(numbers: Int32Array, wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function seedKey(words: Int32Array, at: number): number {
  let key = 17;
  for (let index = at; index < at + SEED_WORDS; index++) key = (Math.imul(key, 0x01000193) ^ (words[index]! + 1)) >>> 0;
  return (key ^ (key >>> 15)) >>> 0;
}
