import calculator from 'ae-cvss-calculator';
import type { CvssVersion } from './cvss-metrics.ts';
import type { CvssVector } from './cvss-vector.ts';

const CALCULATORS = {
  '2.0': calculator.Cvss2,
  '3.0': calculator.Cvss3P0,
  '3.1': calculator.Cvss3P1,
  '4.0': calculator.Cvss4P0,
} as const satisfies Readonly<Record<CvssVersion, unknown>>;

/**
 * The base score, 0 to 10 with one decimal, of every version: how bad the vulnerability is in any environment.
 * What a vector says of exploits and of somebody's environment is left out, in v4.0 too: the known-exploited catalog says
 * the one (contract §2.8), VEX statements the other.
 */
export function baseScore({ version, base }: CvssVector): number {
  return new CALCULATORS[version](base).calculateScores().overall;
}

/** The score with everything that the vector says: what some scanners state beside it. */
export function overallScore({ version, text }: CvssVector): number {
  return new CALCULATORS[version](text).calculateScores().overall;
}
