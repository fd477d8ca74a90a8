/** What stands in one sequence of words instead of what stands in the other; either side may be empty. */
export type Hunk = {
  readonly knownStart: number;
  readonly knownEnd: number;
  readonly foundStart: number;
  readonly foundEnd: number;
};

/** A table of so many cells is filled at once, and of so many where no anchor divides the words. */
const FEW_CELLS = 8000;
const MOST_CELLS = 90_000;

/**
 * The differences between a known sequence of words and a found one, in order. Long sequences are divided at runs of
 * words that each of them has once, so that the work grows with their length and not with its square.
 */
export function diffWords(known: ArrayLike<number>, found: ArrayLike<number>): Hunk[] {
  const hunks: Hunk[] = [];
  const add = (knownStart: number, knownEnd: number, foundStart: number, foundEnd: number) => {
    if (knownStart === knownEnd && foundStart === foundEnd) return;
    const last = hunks.at(-1);
    if (last !== undefined && last.knownEnd === knownStart && last.foundEnd === foundStart) {
      hunks[hunks.length - 1] = { ...last, knownEnd, foundEnd };
    } else hunks.push({ knownStart, knownEnd, foundStart, foundEnd });
  };
  // A list and no recursion: last in, first out, so that hunks come in order.
  const open: Array<readonly [number, number, number, number]> = [[0, known.length, 0, found.length]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    let [a, aEnd, b, bEnd] = next;
    while (a < aEnd && b < bEnd && known[a] === found[b]) {
      a++;
      b++;
    }
    while (a < aEnd && b < bEnd && known[aEnd - 1] === found[bEnd - 1]) {
      aEnd--;
      bEnd--;
    }
    if (a === aEnd || b === bEnd) add(a, aEnd, b, bEnd);
    else {
      const cells = (aEnd - a) * (bEnd - b);
      const anchors = cells <= FEW_CELLS ? [] : anchorsOf(known, found, [a, aEnd, b, bEnd]);
      if (anchors.length === 0) {
        if (cells <= MOST_CELLS) addShortest(known, found, [a, aEnd, b, bEnd], add);
        else add(a, aEnd, b, bEnd);
        continue;
      }
      const parts: Array<readonly [number, number, number, number]> = [];
      let [fromA, fromB] = [a, b];
      for (const [atA, atB] of anchors) {
        parts.push([fromA, atA, fromB, atB]);
        [fromA, fromB] = [atA, atB];
      }
      parts.push([fromA, aEnd, fromB, bEnd]);
      open.push(...parts.reverse());
    }
  }
  return hunks;
}

type Window = readonly [knownStart: number, knownEnd: number, foundStart: number, foundEnd: number];

/** The longest common subsequence, by a table. */
function addShortest(
  known: ArrayLike<number>,
  found: ArrayLike<number>,
  [a, aEnd, b, bEnd]: Window,
  add: (knownStart: number, knownEnd: number, foundStart: number, foundEnd: number) => void,
): void {
  const [rows, columns] = [aEnd - a, bEnd - b];
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const here = row * width + column;
      lengths[here] =
        known[a + row] === found[b + column]
          ? lengths[here + width + 1]! + 1
          : Math.max(lengths[here + width]!, lengths[here + 1]!);
    }
  }
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && known[a + row] === found[b + column]) {
      row++;
      column++;
    } else if (
      column === columns ||
      (row < rows && lengths[(row + 1) * width + column]! >= lengths[row * width + column + 1]!)
    ) {
      add(a + row, a + row + 1, b + column, b + column);
      row++;
    } else {
      add(a + row, a + row, b + column, b + column + 1);
      column++;
    }
  }
}

const ANCHOR_WORDS = [6, 3, 1];

/** Pairs of positions where runs of words stand that each side has once, as many as keep their order. */
function anchorsOf(
  known: ArrayLike<number>,
  found: ArrayLike<number>,
  window: Window,
): Array<readonly [number, number]> {
  const [a, aEnd, b, bEnd] = window;
  for (const size of ANCHOR_WORDS) {
    const inFound = onlyOnce(found, b, bEnd, size);
    const pairs: Array<readonly [number, number]> = [];
    for (const [key, at] of onlyOnce(known, a, aEnd, size)) {
      const other = inFound.get(key);
      if (at >= 0 && other !== undefined && other >= 0 && known[at] === found[other]) pairs.push([at, other]);
    }
    if (pairs.length > 0) return longestAscending(pairs.sort(([left], [right]) => left - right));
  }
  return [];
}

/** Where each run of words stands, by its hash; -1 for one that stands twice. */
function onlyOnce(words: ArrayLike<number>, start: number, end: number, size: number): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = start; at + size <= end; at++) {
    let key = 0;
    for (let index = at; index < at + size; index++) key = (Math.imul(key, 0x01000193) + words[index]! + 7) | 0;
    places.set(key, places.has(key) ? -1 : at);
  }
  return places;
}

function longestAscending(pairs: ReadonlyArray<readonly [number, number]>): Array<readonly [number, number]> {
  const tails: number[] = [];
  const before: number[] = [];
  for (const [index, [, value]] of pairs.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]!]![1] < value) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? tails[low - 1]! : -1;
    tails[low] = index;
  }
  const chain: Array<readonly [number, number]> = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at]!) chain.push(pairs[at]!);
  return chain.reverse();
}
