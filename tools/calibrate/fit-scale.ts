import type { Scale } from '@colophon/similarity';
import type { Strangers } from './strangers.ts';

/** How alike files are that have nothing to do with each other. */
export type Unrelated = {
  readonly strangers: readonly Strangers[];
  readonly asked: readonly Strangers[];
  /** Solutions of one task by several people. */
  readonly independent: ReadonlyArray<Pick<Strangers, 'runs' | 'words'>>;
};

/** One in so many pairs of strangers may be above. */
const STRANGERS_QUANTILE = 0.9995;
/** The same of files and the most alike one of a whole index. */
const ASKED_QUANTILE = 0.995;
/** The tuning half is one sample: the threshold is so much above what was found there. */
const MARGIN = 0.02;
/**
 * So much of the way from the solutions of one task to identity: there are few of them. A task brings its own words, so the
 * margin of words is larger.
 */
const INDEPENDENT_MARGIN = { runs: 1 / 4, words: 1 / 2 } as const;
/** Noise ends where of a hundred files so many have nothing more alike in a whole index. */
const NOISE_QUANTILE = 0.95;

/** What a threshold is at least: a run of 65 tokens that is a whole function; more than half of all words. */
export const LEAST = {
  runs: { strong: 0.67, noise: 0.45 },
  words: { strong: 0.6, noise: 0.35 },
} as const;

/** The scale of one measure: strong begins above what is not related, noise ends where nearly all of a whole index does. */
export function fitScale({ strangers, asked, independent }: Unrelated, measure: 'runs' | 'words'): Scale {
  const of = (pairs: ReadonlyArray<Pick<Strangers, 'runs' | 'words'>>) => pairs.map((pair) => pair[measure]);
  const drawn = Math.max(quantile(of(strangers), STRANGERS_QUANTILE), quantile(of(asked), ASKED_QUANTILE));
  const made = Math.max(0, ...of(independent));
  const strong = Math.max(
    LEAST[measure].strong,
    drawn + MARGIN,
    independent.length > 0 ? made + (1 - made) * INDEPENDENT_MARGIN[measure] : 0,
  );
  const noise = Math.max(LEAST[measure].noise, quantile(of(asked), NOISE_QUANTILE));
  return { strong: hundredths(Math.min(strong, 0.98)), noise: hundredths(Math.min(noise, strong - 0.1)) };
}

/** The least of the numbers that is not below so much of them; 0 of none. */
export function quantile(numbers: readonly number[], share: number): number {
  const ascending = [...numbers].sort((one, other) => one - other);
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? 0;
}

function hundredths(number: number): number {
  return Math.round(number * 100) / 100;
}
