/** Days that a report gives each severity, whatever time a record itself was given; `low` has no target. */
export const TARGET_DAYS = { critical: 1, high: 7, medium: 30 } as const;
export type TargetedSeverity = keyof typeof TARGET_DAYS;

/** From worst to least. */
export const TARGETED_SEVERITIES = Object.keys(TARGET_DAYS) as [TargetedSeverity];
