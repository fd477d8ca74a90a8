import type { QuarterlyReport, ReportNotes } from '@colophon/records';
import { count, documentOf, listOf, oneOf, type ResultOf, resultOf, string } from '@colophon/records/result';
import { signedClosings, signedStatement } from '@colophon/remediation/result';
import { reportDifference } from '@colophon/remediation-rules/result';
import { signed } from '../commands/signed-result.ts';
import { checkedDocument } from '../document-signature/checked-document-result.ts';

const notes = documentOf('what the report has no fields for; schema: report-notes.v1.json');
const file_count = { ...count, description: 'files that SHA256SUMS lists' } as const;
const vex_documents = listOf('what is known of the signatures over each VEX document', signedStatement);

/** `colophon report quarterly`. */
export const reportQuarterlyResult = resultOf('the report, and the folder that it is in', {
  out: string('path of the folder that was written'),
  file_count,
  report: documentOf('schema: quarterly-report.v1.json of the contract'),
  notes,
  vex_documents,
  signatures: listOf('over the report, and over the list of checksums; none where nobody signs', signed),
  differences: listOf('what `report verify` will refuse', reportDifference),
});
export type ReportQuarterlyResult = Omit<ResultOf<typeof reportQuarterlyResult>, 'report' | 'notes'> & {
  readonly report: QuarterlyReport;
  readonly notes: ReportNotes;
};

/** `colophon report verify`. */
export const reportVerifyResult = resultOf(
  'everything that was checked of a report',
  {
    folder: string('path of the folder'),
    period: string('a quarter such as 2026-Q4'),
    as_of: string('the last day that counts'),
    record_count: { ...count, description: 'records that were counted again' },
    file_count,
    pages_state: oneOf('`other`: somebody changed the pages for people, or another version of the program made them', [
      'same',
      'other',
      'unchecked',
    ]),
    vex_documents,
    closing_signatures: signedClosings,
    differences: listOf('what is not as it must be', reportDifference),
  },
  {
    signature: {
      ...checkedDocument,
      description: 'the signature over the list of checksums, where it was checked and holds',
    },
    notes: { ...notes, description: `${notes.description}; absent where nothing can be counted` },
  },
);
export type ReportVerifyResult = Omit<ResultOf<typeof reportVerifyResult>, 'notes'> & { readonly notes?: ReportNotes };
