import type { ScanRecord } from '@colophon/triage';

/** What a file of findings does not say itself. */
export type ScanFacts = {
  /** The SBOM that was scanned: a file. */
  readonly sbom?: string;
  /** RFC 3339; for outputs that do not say when the scanner looked. */
  readonly scannedAt?: string;
  /** RFC 3339; for outputs that do not say when the scanner's database was built. */
  readonly databaseBuiltAt?: string;
  /** RFC 3339; dates after it are in the future. Default: now. */
  readonly at?: string;
};

/**
 * The scans in files, told apart by content: outputs of scanners, our own records (one, or an array of them), and arrays
 * of findings (contract §2.7), which are a scan of the scanner `unknown`. One file may hold several scans. `-` is standard
 * input; a record that was kept before is returned as it is.
 * @throws CliError `cli.file_unreadable`, `cli.file_too_large`, `cli.scan_invalid` (exit 20) with every issue
 */
export async function readScans(files: readonly string[], facts: ScanFacts = {}): Promise<ScanRecord[]> {
  throw new Error(`not yet: ${files.length} ${facts.at}`);
}
