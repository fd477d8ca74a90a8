import { SEVERITIES, type Severity } from '@colophon/records';

/** The words of scanners and distributors, in lower case. */
const WORDS: Readonly<Record<Exclude<Severity, 'unknown'>, readonly string[]>> = {
  critical: ['critical', 'crit', 'defcon1'],
  high: ['high', 'important', 'severe'],
  medium: ['medium', 'moderate'],
  // It is still a vulnerability, whatever a distributor thinks of its use.
  low: ['low', 'negligible', 'minor', 'unimportant'],
  none: ['none', 'info', 'informational', 'information'],
};
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  '',
  'unknown',
  'unassigned',
  'undefined',
  'unscored',
  'null',
  'n/a',
  'not available',
  'not yet assigned',
  'not specified',
  'unspecified',
]);

const SEVERITY_BY_WORD: ReadonlyMap<string, Severity> = new Map(
  Object.entries(WORDS).flatMap(([severity, words]) => words.map((word) => [word, severity as Severity] as const)),
);

/** The severity of a CVSS score: contract §8's 9 and 7, and the standard's own 4 below them. */
export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'none';
}

/** What a scanner's word means, in any case; undefined for a word that nobody knows. */
export function severityOfWord(word: string): Severity | undefined {
  const plain = word.trim().toLowerCase();
  return SEVERITY_BY_WORD.get(plain) ?? (SAYS_NOTHING.has(plain) ? 'unknown' : undefined);
}

/** The worst of several; `unknown` says nothing beside any other. */
export function worstSeverity(severities: Iterable<Severity>): Severity {
  let worst = SEVERITIES.length - 1;
  for (const severity of severities) worst = Math.min(worst, SEVERITIES.indexOf(severity));
  return SEVERITIES[worst] as Severity;
}
