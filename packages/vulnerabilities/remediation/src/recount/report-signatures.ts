import type { ReportBasis } from '@colophon/remediation-rules';
import type { DocumentVerifier, VerifiedDocument } from '@colophon/signers';
import { CHECKSUMS, CHECKSUMS_SIGNATURE } from '../report-folder/checksums.ts';
import type { ReportFolder } from '../report-folder/read-report-folder.ts';
import { ReportError } from '../report-folder/report-error.ts';

/**
 * Refuses a report that nobody signed, and one whose signature somebody took away, which are told apart.
 * @param next what to do about it
 * @throws ReportError `report.signature_missing`
 */
export function assertSignedFolder(folder: ReportFolder, next?: string): void {
  if (folder.has(CHECKSUMS_SIGNATURE)) return;
  const wasSigned = folder.checksums.some(
    ({ name }) => name.endsWith('.json.sigstore.json') && name.startsWith('quarterly-report-'),
  );
  const message = wasSigned ? `the signature over ${CHECKSUMS} is missing` : 'this report is not signed';
  throw unsigned(message, { checked: folder.path, expected: CHECKSUMS_SIGNATURE, ...(next && { next }) });
}

/**
 * Verifies both signatures of a report, which both have to hold: the one over the checksums binds every file to whose
 * it is. Answers with that one; undefined where files differ and a signature does not hold, since what differs says more.
 * @throws ReportError `report.signature_missing`, and what the verifier throws, with what was checked
 */
export async function verifyReportSignatures<V extends VerifiedDocument>(
  folder: ReportFolder,
  { report }: ReportBasis,
  verify: DocumentVerifier<V>,
  { isChanged }: { readonly isChanged: boolean },
): Promise<V | undefined> {
  const bundle = `${report}.sigstore.json`;
  if (!folder.has(bundle)) {
    const wasSigned = folder.checksums.some(({ name }) => name === bundle);
    const message = wasSigned ? 'the signature over the report is missing' : 'the report itself is not signed';
    throw unsigned(message, { checked: folder.path, expected: bundle });
  }
  try {
    await verifyFile(folder, report, bundle, verify);
    return await verifyFile(folder, CHECKSUMS, CHECKSUMS_SIGNATURE, verify);
  } catch (error) {
    if (isChanged) return undefined;
    throw error;
  }
}

async function verifyFile<V extends VerifiedDocument>(
  folder: ReportFolder,
  name: string,
  signature: string,
  verify: DocumentVerifier<V>,
): Promise<V> {
  try {
    return await verify(await folder.bytes(name), await folder.bytes(signature));
  } catch (error) {
    const known = (error as { readonly facts?: object }).facts;
    const facts = { checked: `${signature} for ${name}`, ...known };
    throw error instanceof Error ? Object.assign(error, { facts }) : error;
  }
}

function unsigned(message: string, facts: { checked: string; expected: string; next?: string }): ReportError {
  return new ReportError('report.signature_missing', message, facts);
}
