import type { Scale } from '@colophon/similarity';

/** So much of what is known not to be related stays below the measure that the threshold is put above. */
const LABELLED_QUANTILE = 0.95;
/** The same for strangers, of which there are more, and of which a few are relatives that nobody labelled. */
const STRANGERS_QUANTILE = 0.99;
/** So much of what strangers have in common is noise. */
const NOISE_QUANTILE = 0.95;
/** How far above, of the way that is left to identity: the tuning pairs hold few tasks that several people solved. */
const MARGIN = 1 / 4;
/** Below this nothing is strong, however far apart the few pairs of a language are. */
export const LEAST_STRONG = 0.6;
/** Up to this everything is noise: so much files of one language have in common, whichever few were looked at. */
const LEAST_NOISE = 0.35;
/** What is between the two thresholds is at least so much. */
const LEAST_WEAK = 0.1;

/**
 * The scale of a language: noise ends where strangers do, strong begins a quarter of the way from the highest of what is
 * not related to identity. Related pairs have no say: how many of them there are, and how hard, is chance.
 */
export function fitScale(unrelated: readonly number[], strangers: readonly number[], leastStrong: number): Scale {
  const noise = Math.max(LEAST_NOISE, quantile(strangers, NOISE_QUANTILE));
  const highest = Math.max(quantile(strangers, STRANGERS_QUANTILE), quantile(unrelated, LABELLED_QUANTILE));
  const strong = hundredths(Math.max(leastStrong, highest + (1 - highest) * MARGIN));
  return { strong, noise: hundredths(Math.min(noise, strong - LEAST_WEAK)) };
}

/** The least of the numbers that is not below so much of them. */
function quantile(numbers: readonly number[], share: number): number {
  const ascending = [...numbers].sort((one, other) => one - other);
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? 0;
}

function hundredths(number: number): number {
  return Math.round(number * 100) / 100;
}
