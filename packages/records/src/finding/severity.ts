/** From worst to least; `unknown` where neither a score nor a scanner's word says anything. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'none', 'unknown'] as const;
export type Severity = (typeof SEVERITIES)[number];
