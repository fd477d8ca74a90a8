import { documentOf, having, listOf } from '@colophon/records/result';
import { reportDifference } from '@colophon/remediation-rules/result';
import { recountedReport } from '../recount/recount-result.ts';

const { file_count, vex_documents } = recountedReport.properties;

/** A report that was made. */
export const madeReport = having('a report that was made', {
  file_count,
  report: documentOf('schema: quarterly-report.v1.json of the contract'),
  notes: documentOf('what the report has no fields for; schema: report-notes.v1.json'),
  vex_documents,
  differences: listOf('what `report verify` will refuse', reportDifference),
});
