/** From worst to least: what a report tells apart (contract §2.10). */
export const RATED_SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
export type RatedSeverity = (typeof RATED_SEVERITIES)[number];

/** The same with `none`, and with `unknown` where neither a score nor a scanner's word says anything. */
export const SEVERITIES = [...RATED_SEVERITIES, 'none', 'unknown'] as const;
export type Severity = (typeof SEVERITIES)[number];
