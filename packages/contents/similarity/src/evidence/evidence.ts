import type { Fingerprinted, Match } from '../matching/matching.ts';
import type { Rarity } from '../rarity/rarity.ts';
import { MINIMUM_TOKENS, spansIn, type Unit } from '../unit/unit.ts';
import { type ConsistentRun, consistentRuns } from './consistent-runs.ts';

/** Two parts of two files and what they have in common. */
export type Evidence = {
  readonly a: Unit;
  readonly b: Unit;
  /** What their longest common run is worth, in tokens; common ones count in part. */
  readonly run: number;
  /** How much of the smaller part all runs in common are worth, 0 to 1. */
  readonly coverage: number;
  /** 0 to 1: both together, and the most that any two parts have. */
  readonly strength: number;
  /** Where the longest run is. */
  readonly match: Match;
};

type Shared = { worth: number; from: number; to: number };
type Pair = { common: number; run: number; match: Match };

/** The parts of two files that have most in common; undefined where nothing is. */
export function bestEvidence(
  a: Fingerprinted,
  b: Fingerprinted,
  matches: readonly Match[],
  rarity: Rarity,
): Evidence | undefined {
  const pairs = new Map<number, Pair>();
  const width = b.units.units.length;
  for (const run of consistentRuns(a, b, matches, rarity)) {
    for (const [key, { worth, from, to }] of sharedOf(run, a, b)) {
      const match = { placeInA: from, placeInB: from + run.placeInB - run.placeInA, length: to - from };
      const pair = pairs.get(key);
      if (pair === undefined) pairs.set(key, { common: worth, run: worth, match });
      else {
        pair.common += worth;
        if (worth > pair.run) {
          pair.run = worth;
          pair.match = match;
        }
      }
    }
  }
  const judged = [...pairs]
    .map(([key, pair]) => judge(a.units.units[Math.floor(key / width)]!, b.units.units[key % width]!, pair))
    .filter((evidence) => evidence !== undefined);
  const strength = judged.reduce((most, one) => Math.max(most, one.strength), 0);
  let best: Evidence | undefined;
  for (const evidence of judged) {
    if (evidence.strength < strength - AS_STRONG) continue;
    if (best === undefined || sizeOf(evidence) < sizeOf(best)) best = evidence;
  }
  return best === undefined ? undefined : { ...best, strength };
}

/** The whole file around a copied function is hardly stronger than the function, which is what a reader looks for. */
const AS_STRONG = 0.02;

function sizeOf({ a, b }: Evidence): number {
  return a.tokens + b.tokens;
}

/** What a run is worth to each pair of units that it goes through. */
function sharedOf(run: ConsistentRun, a: Fingerprinted, b: Fingerprinted): ReadonlyMap<number, Shared> {
  const found = new Map<number, Shared>();
  const width = b.units.units.length;
  const shift = run.placeInB - run.placeInA;
  const end = run.placeInA + run.length;
  for (const ofA of spansIn(a.units, run.placeInA, end)) {
    const fromA = Math.max(ofA.start, run.placeInA);
    const toA = Math.min(ofA.end, end);
    for (const ofB of spansIn(b.units, fromA + shift, toA + shift)) {
      const from = Math.max(fromA, ofB.start - shift);
      const to = Math.min(toA, ofB.end - shift);
      const worth = run.worth[to - run.placeInA]! - run.worth[from - run.placeInA]!;
      const key = ofA.unit * width + ofB.unit;
      const known = found.get(key);
      if (known === undefined) found.set(key, { worth, from, to });
      else {
        known.worth += worth;
        known.from = Math.min(known.from, from);
        known.to = Math.max(known.to, to);
      }
    }
  }
  return found;
}

/** A long run in common proves the more the less is left of the smaller part. */
function judge(a: Unit, b: Unit, { common, run, match }: Pair): Evidence | undefined {
  const smaller = Math.min(a.tokens, b.tokens);
  if (smaller < MINIMUM_TOKENS || run <= 0) return undefined;
  const coverage = Math.min(1, common / smaller);
  return { a, b, run, coverage, strength: strengthOf(run, coverage), match };
}

/** 0 to 1, for a run worth so many tokens and a share of the smaller part. */
export function strengthOf(run: number, coverage: number): number {
  return (run / (run + 32)) * (0.5 + 0.5 * coverage);
}
