/** remediation …, report … */
export const REMEDIATION_RESULTS: Readonly<Record<string, object>> = {};

/** Commands whose result has no schema yet. */
export const REMEDIATION_PENDING: readonly string[] = [
  'remediation open',
  'remediation list',
  'remediation show',
  'remediation update',
  'remediation escalate',
  'remediation close',
  'remediation void',
  'remediation verify',
  'report quarterly',
  'report verify',
];
