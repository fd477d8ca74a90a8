import { alsoHaving, count, flag, having, listOf, oneOf, type ResultOf, string } from '@colophon/records/result';
import { reportDifference } from '@colophon/remediation-rules/result';
import { signedClosings, signedStatement } from './signature-states-result.ts';

const file_count = { ...count, description: 'files that SHA256SUMS lists' } as const;
const vex_documents = listOf('what is known of the signatures over each VEX document', signedStatement);

/** What was proven once more, and what stands beside the figures. */
const summary = alsoHaving(
  having('the notes in numbers', {
    proven_count: { ...count, description: 'closings that the documents of the folder prove' },
    unproven_count: count,
    scan_count: count,
    unchecked_scan_count: { ...count, description: 'scans that name no product' },
    listing_count: { ...count, description: 'what the scans list and count' },
    unrecorded_listing_count: { ...count, description: 'listings that have no record' },
    override_count: { ...count, description: 'events in which a person’s reason overrode conditions' },
    voided_count: { ...count, description: 'records that were set aside' },
    unsigned_void_count: { ...count, description: 'those of them that nobody signed' },
    nothing_due: listOf('figures for which nothing was due', string('a field of the report')),
  }),
  {
    catalog: having('the known-exploited catalog of the folder', {
      catalog_version: string('as its feed writes it'),
      digest: string('of its bytes: `sha256:` and 64 hex digits'),
      stale: flag('whether it was too old on the last day that counts'),
    }),
  },
);
export type ReportSummary = ResultOf<typeof summary>;

/** Everything that was checked of a report, but for the signature over it. */
export const recountedReport = alsoHaving(
  having('everything that was checked of a report', {
    period: string('a quarter such as 2026-Q4'),
    as_of: string('the last day that counts'),
    record_count: { ...count, description: 'records that were counted again' },
    file_count,
    pages_state: oneOf(
      'the pages for people, against those that this version makes from the folder; `other_version`: a page names another version, or none, and was not compared; `unchecked`: nothing can be counted',
      ['same', 'changed', 'other_version', 'unchecked'],
    ),
    unread_files: listOf(
      'files that no record refers to, and that are no scan: only their digests were compared',
      string('a file of the folder'),
    ),
    vex_documents,
    closing_signatures: signedClosings,
    differences: listOf('what is not as it must be', reportDifference),
  }),
  { summary: { ...summary, description: `${summary.description}; absent where nothing can be counted` } },
);
