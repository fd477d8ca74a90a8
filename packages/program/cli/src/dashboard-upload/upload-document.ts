import { openAsBlob, statSync } from 'node:fs';
import type { UploadVersion } from '@colophon/publishing';
import { convertBom, type Loss } from '@colophon/sbom';
import { bomValidator, targetVersion } from '../sbom-file/official-schemas.ts';
import { assertValidSbom, readSbomFile, type SbomFile } from '../sbom-file/sbom-file.ts';

/** A document as a dashboard takes it: what its schema allows, and nothing else. */
export type UploadDocument = {
  readonly blob: Blob;
  /** It is not sent as it stands in the file. */
  readonly converted: boolean;
  /** It was in the contract's own shapes, which no dashboard takes, and is sent in the standard ones. */
  readonly inStandardProfile: boolean;
  readonly losses: readonly Loss[];
  readonly version: UploadVersion;
};

/** What the dashboard holds a document against. */
const DASHBOARD = { profile: 'standard', for: 'dependency-track' } as const;
const JSON_TYPE = { type: 'application/json' };

/**
 * Reads a document and refuses what a dashboard would, before anybody is asked anything.
 * @throws CliError `cli.sbom_invalid` (exit 20), `cli.file_unreadable`, `cli.file_too_large`
 * @see contract §2.5, §4.4
 */
export function readUploadDocument(file: string): Promise<SbomFile> {
  return readSbomFile(file, { profile: 'spec', for: DASHBOARD.for });
}

/**
 * Writes a document in a version and shapes that the dashboard takes. One that can go out as it stands is read from the
 * disk again, not kept in memory.
 * @throws CliError `cli.sbom_invalid`
 */
export async function fitUploadDocument(
  file: string,
  { bom, bytes }: SbomFile,
  version: UploadVersion,
): Promise<UploadDocument> {
  const isStandard = bomValidator().validateBom(bom, DASHBOARD).valid;
  if (isStandard && version.sent === version.document) {
    const isFile = file !== '-' && statSync(file).isFile();
    const blob = isFile ? await openAsBlob(file, JSON_TYPE) : new Blob([new Uint8Array(bytes)], JSON_TYPE);
    return { blob, converted: false, inStandardProfile: false, losses: [], version };
  }
  const { sent } = version;
  const target = sent !== version.document && (sent === '1.6' || sent === '1.7') ? targetVersion(sent) : undefined;
  const { bom: fitted, losses } = convertBom(bom, { profile: 'standard', ...(target && { version: target }) });
  assertValidSbom(fitted, DASHBOARD);
  const blob = new Blob([JSON.stringify(fitted)], JSON_TYPE);
  return { blob, converted: true, inStandardProfile: !isStandard, losses, version };
}
