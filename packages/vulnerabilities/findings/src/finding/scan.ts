import type { ScanRecord } from '@colophon/records';
import type { ReportedVulnerability } from './reported-vulnerability.ts';

/** One scanner's output as it was read; see `ReportedVulnerability` for what is in it. */
export type ScannerReading = Pick<ScanRecord, 'scanner' | 'scannedAt' | 'target' | 'namedBoms' | 'unread'> & {
  readonly reported: readonly ReportedVulnerability[];
};
