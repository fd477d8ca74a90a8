import type { Finding, FindingComponent } from '@colophon/records';
import type { ReportedVulnerability } from './reported-vulnerability.ts';

/** Which scanner looked, and with which knowledge. */
export type Scanner = {
  /** Lower case, e.g. `grype`. */
  readonly name: string;
  readonly version?: string;
  /** When its vulnerability database was built; RFC 3339 in UTC. */
  readonly databaseBuiltAt?: string;
};

/** The SBOM that was scanned, by what it says of itself and by its bytes. */
export type ScannedSbom = {
  /** `sha256:<hex>` of the file. */
  readonly digest: string;
  readonly serialNumber?: string;
  readonly version?: number;
  /** metadata.timestamp */
  readonly timestamp?: string;
  /** Name and version of the documented artifact. */
  readonly artifact?: string;
  readonly artifactVersion?: string;
};

/** An SBOM that an output names by its BOM-Link. */
export type NamedBom = { readonly serialNumber: string; readonly version: number };

/** An entry of an output that could not be read, or a part of it that is no vulnerability, and why. */
export type UnreadEntry = {
  /** JSON Pointer into the output. */
  readonly path: string;
  /** `scan.*`, stable. */
  readonly code: string;
  readonly message: string;
  /** The one that could not be looked up, where the output names it. */
  readonly component?: FindingComponent;
  /** How many entries this speaks of, where it is more than one. */
  readonly count?: number;
};

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

/**
 * One scan as it is kept: what the workflow takes for "the CVE is listed" and "it is listed no more". Findings alone do
 * not say who looked, at what and with which knowledge, and least of all where there are none.
 */
export type ScanRecord = {
  readonly format: 'colophon-scan/v1';
  readonly scanner: Scanner;
  readonly scannedAt?: string;
  readonly target?: string;
  readonly namedBoms?: readonly NamedBom[];
  readonly sbom?: ScannedSbom;
  /** The scanner's own output. */
  readonly source: { readonly name: string; readonly digest: string };
  readonly findings: readonly Finding[];
  readonly unread: readonly UnreadEntry[];
};
