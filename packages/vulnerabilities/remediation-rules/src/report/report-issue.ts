import type { Issue } from '@colophon/json';

/** Every code of parsePeriod and reportDetails. */
export const REPORT_ISSUE_CODES = [
  'report.period_invalid',
  'report.period_not_begun',
  'report.as_of_invalid',
  'report.date_invalid',
  'report.dates_contradict',
  'report.record_duplicate',
] as const;
export type ReportIssueCode = (typeof REPORT_ISSUE_CODES)[number];

export const SOURCE = 'contract §2.10';

/** One thing that keeps a report from being made; `path` is a JSON Pointer into the records by id, '' for the request. */
export function reportIssue(code: ReportIssueCode, path: string, message: string, expected?: string): Issue {
  return { path, code, message, ...(expected === undefined ? {} : { expected }), source: SOURCE };
}
