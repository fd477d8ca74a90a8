/** Why a document is refused as VEX, by its stable code; listed in docs/errors.md. */
export const VEX_ISSUE_CODES = [
  'vex.not_vex',
  'vex.version_unsupported',
  'vex.category_unsupported',
  'vex.field_missing',
  'vex.field_type',
  'vex.status_unknown',
  'vex.justification_unknown',
  'vex.timestamp_invalid',
  'vex.conflict',
  'vex.reference_unknown',
  /** It means far more by reference than it writes out. */
  'vex.too_large',
  'vex.more_issues',
] as const;
export type VexIssueCode = (typeof VEX_ISSUE_CODES)[number];
