import { GRAM } from '../fingerprint/fingerprint.ts';
import type { Fingerprinted, Match } from '../matching/matching.ts';
import { NAME } from '../normal-form/normal-form.ts';
import type { Rarity } from '../rarity/rarity.ts';

/** A run of tokens that is in both files and whose names go together, and what each of its tokens is worth. */
export type ConsistentRun = Match & {
  /** At each token, what all before it are worth together: one more than the run has tokens. */
  readonly worth: Float64Array;
};

/** What a name that does not go with the one in the other file takes away, in tokens. */
const INCONSISTENT_NAME = 4;
/** What another text or number takes away. */
const OTHER_LITERAL = 8;
/** A run ends where it would have to make good so much. */
const MOST_LOSS = 24;

/**
 * The parts of the matches whose names go together: a name of A always stands where the same name of B does, whatever
 * they are called. Copies keep that when they are renamed; programs that have their shape in common by chance do not.
 * A token is worth 1 at most, less where all marks around it are common.
 */
export function consistentRuns(
  a: Fingerprinted,
  b: Fingerprinted,
  matches: readonly Match[],
  rarity: Rarity,
): ConsistentRun[] {
  const runs: ConsistentRun[] = [];
  let mark = 0;
  for (const { placeInA, placeInB, length } of matches) {
    if (length < GRAM) continue;
    const end = placeInA + length;
    const { hashes, places } = a.fingerprint;
    const weights = new Float64Array(length);
    while (mark < places.length && places[mark]! < placeInA) mark += 1;
    for (; mark < places.length && places[mark]! + GRAM <= end; mark += 1) {
      const weight = rarity(hashes[mark]!);
      const from = places[mark]! - placeInA;
      for (let at = from + GRAM - 1; at >= from && weights[at]! < weight; at -= 1) weights[at] = weight;
    }
    splitByNames(a, b, { placeInA, placeInB, length }, weights, runs);
  }
  return runs;
}

function splitByNames(
  a: Fingerprinted,
  b: Fingerprinted,
  { placeInA, placeInB, length }: Match,
  weights: Float64Array,
  runs: ConsistentRun[],
): void {
  const toB = new Map<number, number>();
  const toA = new Map<number, number>();
  const worth = new Float64Array(length + 1);
  let start = 0;
  let best = 0;
  const finish = () => {
    if (worth[best]! - worth[start]! >= GRAM / 2) {
      const sums = worth.slice(start, best + 1);
      const base = sums[0]!;
      for (let at = 0; at < sums.length; at += 1) sums[at]! -= base;
      runs.push({ placeInA: placeInA + start, placeInB: placeInB + start, length: best - start, worth: sums });
    }
  };
  for (let at = 0; at < length; at += 1) {
    const nameOfA = a.values[placeInA + at]!;
    const nameOfB = b.values[placeInB + at]!;
    let value = weights[at]!;
    if (a.symbols[placeInA + at] !== NAME) {
      if (nameOfA !== nameOfB) value = -OTHER_LITERAL;
    } else if (nameOfA !== nameOfB) {
      const isKnown = isOther(toB.get(nameOfA), nameOfB) || isOther(toA.get(nameOfB), nameOfA);
      if (isKnown) value = -INCONSISTENT_NAME;
    }
    if (a.symbols[placeInA + at] === NAME) {
      if (nameOfA !== nameOfB || !toB.has(nameOfA)) toB.set(nameOfA, nameOfB);
      if (nameOfA !== nameOfB || !toA.has(nameOfB)) toA.set(nameOfB, nameOfA);
    }
    worth[at + 1] = worth[at]! + value;
    if (worth[at + 1]! > worth[best]!) best = at + 1;
    const isOver = worth[at + 1]! < worth[best]! - MOST_LOSS || worth[at + 1]! < worth[start]!;
    if (!isOver) continue;
    finish();
    start = at + 1;
    best = at + 1;
    toB.clear();
    toA.clear();
  }
  finish();
}

function isOther(known: number | undefined, name: number): boolean {
  return known !== undefined && known !== name;
}
