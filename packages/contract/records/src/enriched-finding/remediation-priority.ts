/** How soon something must be dealt with (contract §8), from most to least urgent. */
export const REMEDIATION_PRIORITIES = [
  'critical-exploited',
  'high-exploited',
  'critical',
  'high',
  'standard',
  'unknown',
] as const;
export type RemediationPriority = (typeof REMEDIATION_PRIORITIES)[number];
