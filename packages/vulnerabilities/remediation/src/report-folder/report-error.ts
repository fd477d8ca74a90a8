import { declareErrors } from '@colophon/fault';
import type { Issue } from '@colophon/json';

const KINDS = {
  'report.day_invalid': 'usage',
  'report.folder_taken': 'usage',
  'report.invalid': 'untrusted',
  'report.records_invalid': 'refused',
  'report.no_records': 'not-found',
  'report.document_not_kept': 'not-found',
  'report.statement_signature_broken': 'mismatch',
  'report.signature_missing': 'nothing',
} as const;

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
  readonly issues?: readonly Issue[];
};

/** A report cannot be made, opened or counted. */
export const ReportError = declareErrors<typeof KINDS, Facts, { readonly facts: Facts }>(
  'ReportError',
  KINDS,
  (facts) => ({
    facts,
  }),
);
export type ReportError = InstanceType<typeof ReportError>;
