import type { QuarterlyReport, ReportNotes } from '@colophon/records';
import { listOf, type ResultOf, resultOf, string } from '@colophon/records/result';
import { madeReport, recountedReport } from '@colophon/remediation/result';
import { signed } from '../commands/signed-result.ts';
import { checkedDocument } from '../document-signature/checked-document-result.ts';

const { differences, ...made } = madeReport.properties;

/** `colophon report quarterly`. */
export const reportQuarterlyResult = resultOf('the report, and the folder that it is in', {
  out: string('path of the folder that was written'),
  ...made,
  signatures: listOf('over the report, and over the list of checksums; none where the report is not signed', signed),
  differences,
});
export type ReportQuarterlyResult = Omit<ResultOf<typeof reportQuarterlyResult>, 'report' | 'notes'> & {
  readonly report: QuarterlyReport;
  readonly notes: ReportNotes;
};

const { summary, ...recounted } = recountedReport.properties;

/** `colophon report verify`. */
export const reportVerifyResult = resultOf(
  recountedReport.description,
  { folder: string('path of the folder'), ...recounted },
  {
    signature: {
      ...checkedDocument,
      description: 'the signature over the list of checksums, where it was checked and holds',
    },
    summary,
  },
);
export type ReportVerifyResult = ResultOf<typeof reportVerifyResult>;
