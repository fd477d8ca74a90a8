// A literal or a comment can be a megabyte of data, which is no vocabulary.
const MOST_TEXT_LENGTH = 4096;

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
// What a text says as a whole weighs as two words: it is rarer than any of its words.
const SEEDS_OF_LITERALS = [0x2545f491, 0x6c62272e] as const;

/**
 * Adds the hash of each word of a part of a text: letters, digits, `_` and `$`, and whatever is not ASCII.
 * @returns the hash of the last word; 0 where there is none
 */
export function addWords(words: Set<number>, text: string, start: number, end: number): number {
  const stop = Math.min(end, start + MOST_TEXT_LENGTH);
  let hash = SEED;
  let isWord = false;
  let last = 0;
  for (let index = start; index < stop; index += 1) {
    const unit = text.charCodeAt(index);
    if (isWordUnit(unit)) {
      hash = Math.imul(hash ^ unit, PRIME);
      isWord = true;
    } else if (isWord) {
      last = hash >>> 0;
      words.add(last);
      hash = SEED;
      isWord = false;
    }
  }
  if (isWord) {
    last = hash >>> 0;
    words.add(last);
  }
  return last;
}

/**
 * Adds the words of a literal and the literal itself, without its quotes, which are layout.
 * @returns the hash of the literal
 */
export function addLiteral(words: Set<number>, text: string, start: number, end: number): number {
  addWords(words, text, start, end);
  const stop = Math.min(end, start + MOST_TEXT_LENGTH);
  let [one, other] = SEEDS_OF_LITERALS as readonly [number, number];
  for (let index = start; index < stop; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE || unit === APOSTROPHE || unit === BACKTICK) continue;
    one = Math.imul(one ^ unit, PRIME);
    other = Math.imul(other ^ unit, PRIME);
  }
  words.add(one >>> 0);
  words.add(other >>> 0);
  return one >>> 0;
}

const QUOTE = 34;
const APOSTROPHE = 39;
const BACKTICK = 96;

function isWordUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    unit === 95 ||
    unit === 36 ||
    unit > 127
  );
}

/** Hashes ascending, each once. */
export function sortedSet(words: ReadonlySet<number>): Uint32Array {
  return Uint32Array.from(words).sort();
}

/** How many numbers two sorted sets have in common. */
export function countCommon(a: Uint32Array, b: Uint32Array): number {
  let common = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const difference = a[i]! - b[j]!;
    if (difference === 0) common += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return common;
}

/**
 * How alike two sets are, of their sizes and of how many they have in common, 0 to 1: half way between how much of the
 * smaller is in the larger (a part taken out of a package is all in it) and how much of both together is common.
 */
export function overlapOf(common: number, sizeOfA: number, sizeOfB: number): number {
  return common === 0 ? 0 : common / (2 * Math.min(sizeOfA, sizeOfB)) + common / (sizeOfA + sizeOfB);
}
