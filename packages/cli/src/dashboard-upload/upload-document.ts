import { openAsBlob, statSync } from 'node:fs';
import type { Bom, Loss } from '@colophon/sbom';
import { bomValidator } from '../sbom-file/official-schemas.ts';
import { assertValidSbom, readSbomFile } from '../sbom-file/sbom-file.ts';

/** A document as a dashboard takes it: what its schema allows, and nothing else. */
export type UploadDocument = {
  readonly bom: Bom;
  readonly blob: Blob;
  /** It was in the contract's own shapes, which no dashboard takes, and is sent in the standard ones. */
  readonly converted: boolean;
  readonly losses: readonly Loss[];
};

const JSON_TYPE = { type: 'application/json' };

/**
 * Reads a document and holds it against its official schema before anything is sent. One that can go out as it stands
 * is read from the disk again, not kept in memory.
 * @throws CliError `cli.sbom_invalid` (exit 20), `cli.file_unreadable`, `cli.file_too_large`
 * @see contract §2.5, §4.4
 */
export async function readUploadDocument(file: string): Promise<UploadDocument> {
  const { bom, bytes } = await readSbomFile(file);
  const validator = await bomValidator();
  if (validator.validateBom(bom).valid) {
    const isFile = file !== '-' && statSync(file).isFile();
    const blob = isFile ? await openAsBlob(file, JSON_TYPE) : new Blob([new Uint8Array(bytes)], JSON_TYPE);
    return { bom, blob, converted: false, losses: [] };
  }
  const { convertBom } = await import('@colophon/sbom');
  const { bom: standard, losses } = convertBom(bom, { profile: 'standard' });
  await assertValidSbom(standard, { profile: 'strict' });
  return { bom: standard, blob: new Blob([JSON.stringify(standard)], JSON_TYPE), converted: true, losses };
}
