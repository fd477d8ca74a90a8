// A plug-in of Stryker for a run with a budget: it tries mutants in an order that a seed gives, and writes each result down
// at once. What is written when the time is over is a sample of all mutants, whatever file they stand in.
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Of Stryker's own types what this needs: a mutant, and what became of it. */
export type Mutant = {
  readonly id: string;
  readonly fileName: string;
  readonly replacement: string;
  readonly location: { readonly start: { readonly line: number; readonly column: number } };
};
export type TriedMutant = Mutant & { readonly status: string };

/** A line of the file of results: the plan's counts first, then a mutant each. */
export type SampleLine =
  | { readonly covered: number; readonly uncovered: number }
  | { readonly status: string; readonly place: string; readonly replacement: string };

/** By which environment variables the plug-in is told its seed and its file. */
export const SEED_VARIABLE = 'MUTANTS_SEED';
export const FILE_VARIABLE = 'MUTANTS_FILE';

/** The mutants in the order that a seed gives: the same for the same seed, whatever order they came in. */
export function shuffled<T extends Mutant>(mutants: readonly T[], seed: string): T[] {
  return inSeedOrder(mutants, seed, (mutant) => `${placeOf(mutant)} ${mutant.replacement}`);
}

/** Anything in the order that a seed gives to its names. */
export function inSeedOrder<T>(items: readonly T[], seed: string, nameOf: (item: T) => string): T[] {
  const keyOf = (item: T) =>
    createHash('sha256')
      .update(`${seed} ${nameOf(item)}`)
      .digest('hex');
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ item }) => item);
}

function placeOf({ fileName, location: { start } }: Mutant): string {
  return `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`;
}

function write(line: SampleLine): void {
  const file = process.env[FILE_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

const order = {
  init: async () => {},
  group: async (mutants: readonly Mutant[]) =>
    shuffled(mutants, process.env[SEED_VARIABLE] ?? '').map(({ id }) => [id]),
  check: async (mutants: readonly Mutant[]) => Object.fromEntries(mutants.map(({ id }) => [id, { status: 'passed' }])),
};

type Plan = { readonly plan: string; readonly runOptions?: { readonly testFilter?: readonly string[] } };

const lines = {
  onMutationTestingPlanReady({ mutantPlans }: { readonly mutantPlans: readonly Plan[] }): void {
    const toRun = mutantPlans.filter(({ plan }) => plan === 'Run');
    const uncovered = toRun.filter(({ runOptions }) => runOptions?.testFilter?.length === 0).length;
    write({ covered: toRun.length - uncovered, uncovered });
  },
  onMutantTested(mutant: TriedMutant): void {
    write({ status: mutant.status, place: placeOf(mutant), replacement: mutant.replacement });
  },
};

export const strykerPlugins = [
  { kind: 'Checker', name: 'order', value: order },
  { kind: 'Reporter', name: 'lines', value: lines },
];

/** What a sample says of all mutants. */
export type SampleScore = {
  /** False where the time was over before it was known what there is to try. */
  readonly isPlanned: boolean;
  readonly covered: number;
  readonly uncovered: number;
  readonly tried: number;
  readonly dead: number;
  /** `place: replacement` of each that lived. */
  readonly living: readonly string[];
  /** Percent of all mutants, the uncovered ones counted as living; undefined where none was tried. */
  readonly percent?: number;
  /** Three standard deviations of a sample of this size, in percent; 0 where every mutant was tried. */
  readonly margin?: number;
};

/** Reads a file of results, also one whose last line was cut. */
export function scoreOf(text: string): SampleScore {
  const read = text.split('\n').flatMap((line): SampleLine[] => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
  const plan = read.find((line) => 'covered' in line);
  const { covered, uncovered } = plan ?? { covered: 0, uncovered: 0 };
  const results = read.filter((line) => 'status' in line);
  const dead = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const living = results
    .filter(({ status }) => status === 'Survived')
    .map(({ place, replacement }) => `${place}: ${replacement.replace(/\s+/gu, ' ').slice(0, 100)}`)
    .sort();
  const tried = dead + living.length;
  const counts = { isPlanned: plan !== undefined, covered, uncovered, tried, dead, living };
  if (tried === 0) return counts;
  const part = dead / tried;
  const unseen = Math.max(0, covered - tried) / Math.max(1, covered - 1);
  const margin = 3 * Math.sqrt(((part * (1 - part)) / tried) * unseen);
  const scale = (covered * 100) / (covered + uncovered);
  return { ...counts, percent: part * scale, margin: margin * scale };
}
