import type { ScanRecord } from '@colophon/records';
import type { Option } from 'commander';
import { readScans, type ScanFacts } from '../scan-file/scan-file.ts';
import { scanOptions } from '../scan-file/scan-presentation.ts';
import { readScannedSbom } from '../scan-file/scanned-sbom.ts';

/** What the command line says of scans that do not say it themselves. */
export type ScanFactFlags = { readonly sbom?: string; readonly databaseTime?: string; readonly scannedAt?: string };

/** `--database-time` and `--scanned-at`; what was opened without them no re-scan can close. */
export function scanFactOptions(): readonly Option[] {
  return scanOptions().filter(({ long }) => long === '--database-time' || long === '--scanned-at');
}

/**
 * The scans in files, outputs of scanners or kept ones, each with what the flags add to it. What a scan says itself
 * counts.
 * @throws CliError as `readScans`
 */
export async function readWorkflowScans(
  files: readonly string[],
  { sbom, databaseTime, scannedAt }: ScanFactFlags,
  at: string,
): Promise<readonly ScanRecord[]> {
  const facts: ScanFacts = {
    ...(scannedAt !== undefined && { scannedAt }),
    ...(databaseTime !== undefined && { databaseBuiltAt: databaseTime }),
    at,
  };
  const scanned = sbom === undefined ? {} : { sbom: (await readScannedSbom(sbom)).sbom };
  const scans = await readScans(files, facts);
  return scans.map((scan) => ({
    ...scanned,
    ...(scannedAt !== undefined && { scannedAt }),
    ...scan,
    scanner: { ...(databaseTime !== undefined && { databaseBuiltAt: databaseTime }), ...scan.scanner },
  }));
}
