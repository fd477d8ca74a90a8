import { having, oneOf, type ResultOf, string } from '@colophon/records/result';
import { REPORT_DIFFERENCE_CODES } from './report-difference.ts';

/** One thing of a report that is not as it must be. */
export const reportDifference = having('one thing that is not as it must be', {
  code: oneOf('stable, of docs/errors.md', REPORT_DIFFERENCE_CODES),
  path: string('where: a file of the folder, a field of the report, a record'),
  expected: string('what follows from the folder'),
  found: string('what is there'),
});
export type ReportDifference = ResultOf<typeof reportDifference>;
