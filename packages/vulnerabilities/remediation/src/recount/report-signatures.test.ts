import type { ReportBasis } from '@colophon/remediation-rules';
import type { DocumentVerifier } from '@colophon/signers';
import { expect, test } from 'vitest';
import type { ReportFolder } from '../report-folder/read-report-folder.ts';
import { assertSignedFolder, verifyReportSignatures } from './report-signatures.ts';

const REPORT = 'quarterly-report-2026-Q3.json';
const BASIS = { report: REPORT } as ReportBasis;
const SIGNED = [REPORT, `${REPORT}.sigstore.json`, 'SHA256SUMS', 'SHA256SUMS.sigstore.json'];

function folderOf(names: readonly string[], listed: readonly string[] = names): ReportFolder {
  return {
    path: 'report',
    checksums: listed.map((name) => ({ name, digest: '' })),
    has: (name: string) => names.includes(name),
    bytes: async (name: string) => Buffer.from(name),
  } as unknown as ReportFolder;
}

/** Accepts every signature but those over these files. */
const verifier = (...refused: readonly string[]): DocumentVerifier =>
  (async (document: Uint8Array, signature: Uint8Array) => {
    const name = Buffer.from(document).toString();
    if (refused.includes(name)) throw Object.assign(new Error('refused'), { code: 'signature.invalid' });
    return { signer: Buffer.from(signature).toString() };
  }) as unknown as DocumentVerifier;

test('a report that nobody signed is another than one whose signature was taken away', () => {
  expect(() => assertSignedFolder(folderOf(SIGNED))).not.toThrow();
  const refused = { code: 'report.signature_missing', kind: 'nothing' };
  expect(() => assertSignedFolder(folderOf([REPORT, 'SHA256SUMS']))).toThrow(
    expect.objectContaining({ ...refused, message: 'this report is not signed' }),
  );
  expect(() => assertSignedFolder(folderOf([REPORT], SIGNED), 'ask for it')).toThrow(
    expect.objectContaining({ ...refused, message: expect.stringContaining('is missing') }),
  );
});

test('both signatures have to hold, and the one over the checksums says whose the report is', async () => {
  const verified = await verifyReportSignatures(folderOf(SIGNED), BASIS, verifier(), { isChanged: false });
  expect(verified?.signer).toBe('SHA256SUMS.sigstore.json');
  for (const refused of [REPORT, 'SHA256SUMS']) {
    const verifying = verifyReportSignatures(folderOf(SIGNED), BASIS, verifier(refused), { isChanged: false });
    await expect(verifying).rejects.toMatchObject({
      code: 'signature.invalid',
      facts: { checked: `${refused}.sigstore.json for ${refused}` },
    });
  }
});

test('files that differ say more than a signature that does not hold, and a signature that is gone says more than they', async () => {
  const options = { isChanged: true };
  expect(await verifyReportSignatures(folderOf(SIGNED), BASIS, verifier(REPORT), options)).toBeUndefined();
  const gone = verifyReportSignatures(folderOf([REPORT]), BASIS, verifier(), options);
  await expect(gone).rejects.toMatchObject({ code: 'report.signature_missing' });
});
