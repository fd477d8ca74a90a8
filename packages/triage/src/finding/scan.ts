import type { NamedBom, Scanner, UnreadEntry } from '@colophon/records';
import type { ReportedVulnerability } from './reported-vulnerability.ts';

/** One scanner's output as it was read; see `ReportedVulnerability` for what is in it. */
export type ScannerReading = {
  readonly scanner: Scanner;
  /** When it looked; RFC 3339 in UTC. */
  readonly scannedAt?: string;
  /** What it looked at, in its own words. */
  readonly target?: string;
  /** The SBOMs that it looked at, where it names any by more than the name of a file. */
  readonly namedBoms?: readonly NamedBom[];
  readonly reported: readonly ReportedVulnerability[];
  readonly unread: readonly UnreadEntry[];
};
