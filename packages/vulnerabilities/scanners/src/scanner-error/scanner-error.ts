import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** The scanner that is asked for, or any, is not on PATH. */
  'feeds.scanner_missing': 'usage',
  /** What is to be scanned is no SBOM. */
  'feeds.scanner_target': 'usage',
  /** The scanner found no package to look up. */
  'feeds.scanner_no_packages': 'nothing',
  /** The scanner cannot be started, or ended with an error. */
  'feeds.scanner_failed': 'machine',
  /** The scanner took longer than it may. */
  'feeds.scanner_timeout': 'machine',
  /** The scanner wrote more than it may, or nothing. */
  'feeds.scanner_output': 'machine',
} as const;

/** One of {@link ScannerError.codes}. */
export type ScannerErrorCode = keyof typeof KINDS;

/** What running a scanner throws. No message, fact or cause holds a credential. */
export const ScannerError = declareErrors('ScannerError', KINDS, (facts: Facts) => ({ facts }));
export type ScannerError = InstanceType<typeof ScannerError>;

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
};
