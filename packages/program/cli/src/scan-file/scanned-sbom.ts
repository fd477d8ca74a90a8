import { type KnownSbom, scannedSbom } from '@colophon/scanners';
import { readSbomFile } from '../sbom-file/sbom-file.ts';

/**
 * Reads the SBOM that a scan was of.
 * @throws CliError `cli.sbom_invalid`, `cli.file_unreadable`, `cli.file_too_large`
 */
export async function readScannedSbom(file: string): Promise<KnownSbom> {
  const { bom, bytes } = await readSbomFile(file);
  return scannedSbom(bom, bytes);
}
