import { formatInstant, parseInstant } from '@colophon/notation';
import type { RemediationPriority, Severity } from '@colophon/records';
import { severityOfScore } from '../finding/severity.ts';

/** Hours until it must be dealt with (contract §8); null where no time is set. */
export const PRIORITY_HOURS: Readonly<Record<RemediationPriority, number | null>> = {
  'critical-exploited': 24,
  'high-exploited': 48,
  critical: 7 * 24,
  high: 14 * 24,
  standard: 30 * 24,
  unknown: null,
};

/** What a priority depends on. */
export type PriorityInput = {
  /** CVSS, 0 to 10; what is no such number counts as none. */
  readonly score?: number | undefined;
  /** Says the category where no score does. */
  readonly severity: Severity;
  /** Whether the known-exploited catalog has it. */
  readonly isExploited: boolean;
};

type Category = 'critical' | 'high' | 'standard' | 'unknown';

const EXPLOITED: Readonly<Record<Category, RemediationPriority>> = {
  critical: 'critical-exploited',
  high: 'high-exploited',
  // The contract has no row for what is exploited and scored low, or not at all: attackers have answered the question
  // that the score asks.
  standard: 'high-exploited',
  unknown: 'high-exploited',
};

const CATEGORY_OF_SEVERITY: Readonly<Record<Severity, Category>> = {
  critical: 'critical',
  high: 'high',
  medium: 'standard',
  low: 'standard',
  none: 'standard',
  unknown: 'unknown',
};

/**
 * The priority of contract §8: by score, and by the word of its severity where nobody scored it. Being in the catalog
 * never makes it less urgent.
 */
export function decidePriority({ score, severity, isExploited }: PriorityInput): RemediationPriority {
  const isScored = score !== undefined && score >= 0 && score <= 10;
  // The contract says "7 to 8" for high; what lies between 8 and 9 is high too.
  const category = CATEGORY_OF_SEVERITY[isScored ? severityOfScore(score) : severity];
  return isExploited ? EXPLOITED[category] : category;
}

/**
 * Until when something of this priority must be dealt with, counted in hours from `from`; RFC 3339 in UTC, null where no
 * time is set.
 * @throws TypeError where `from` is no RFC 3339 time
 */
export function dueAt(priority: RemediationPriority, from: string): string | null {
  const start = parseInstant(from);
  if (start === undefined) throw new TypeError('from must be an RFC 3339 time');
  const hours = PRIORITY_HOURS[priority];
  return hours === null ? null : formatInstant(start + hours * 3_600_000);
}
