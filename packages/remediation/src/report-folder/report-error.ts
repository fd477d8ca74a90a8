import { declareErrors } from '@colophon/fault';
import type { Issue } from '@colophon/json';

const KINDS = {
  'cli.folder_taken': 'usage',
  'cli.report_invalid': 'untrusted',
  'cli.records_invalid': 'refused',
  'cli.no_records': 'not-found',
  'cli.artifact_missing': 'not-found',
  'cli.signature_broken': 'mismatch',
} as const;

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
  readonly issues?: readonly Issue[];
};

/**
 * A report cannot be made, opened or counted. A period or day that is none is `cli.usage`, a signature that is not there
 * `cli.no_signature`, as everywhere.
 */
export const ReportError = declareErrors<
  typeof KINDS,
  Facts,
  { readonly facts: Facts },
  'cli.usage' | 'cli.no_signature'
>('ReportError', KINDS, (facts) => ({ facts }));
export type ReportError = InstanceType<typeof ReportError>;
