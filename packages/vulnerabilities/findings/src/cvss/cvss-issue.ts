/** What can be wrong with a vector. */
export const CVSS_ISSUE_CODES = [
  'cvss.malformed',
  'cvss.version_unknown',
  'cvss.metric_unknown',
  'cvss.metric_repeated',
  'cvss.value_unknown',
  'cvss.metric_missing',
] as const;
export type CvssIssueCode = (typeof CVSS_ISSUE_CODES)[number];
