import { digestOf } from '@colophon/records';
import type { DocumentVerifier } from '@colophon/signers';
import { expect, test } from 'vitest';
import { opened, VERSION, writtenReport } from '../../test/written-report.ts';
import { verifyReport } from './verify-report.ts';

/** Stands in for a signature: the digest of what was signed. Real ones are verified by the tests of the program. */
const sign = async (_name: string, bytes: Uint8Array) => Buffer.from(digestOf(bytes));
const verifier: DocumentVerifier = async (document, signature) => {
  if (digestOf(document) === Buffer.from(signature).toString()) {
    return { kind: 'sigstore', signer: 'dana', names: ['dana'], is_person: true, checks: [] };
  }
  throw Object.assign(new Error('over other bytes'), { code: 'artifact.mismatch' });
};
const unchanged = (json: string) => json;

test('a report that holds has no differences, and says what was checked', async () => {
  const steps: string[] = [];
  const folder = await opened(await writtenReport(unchanged, sign));
  const verified = await verifyReport(folder, { verifier, version: VERSION, show: (step) => steps.push(step) });
  expect(verified).toMatchObject({ period: '2026-Q3', record_count: 0, pages_state: 'same', differences: [] });
  expect(verified.signature).toMatchObject({ signer: 'dana' });
  expect(steps).toEqual(['checking the files', 'counting again']);
});

test('without a verifier files and figures alone are checked', async () => {
  const folder = await opened(await writtenReport());
  const verified = await verifyReport(folder, { version: VERSION, show: () => {} });
  expect(verified).toMatchObject({ differences: [] });
  expect(verified).not.toHaveProperty('signature');
});

test('a figure that was changed is a difference, though no signature holds any more', async () => {
  const folder = await opened(await writtenReport((json) => json.replace(/: 0\b/, ': 3'), sign));
  const verified = await verifyReport(folder, { verifier, version: VERSION, show: () => {} });
  expect(verified.differences.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['report.file_changed', 'report.figure_differs']),
  );
  expect(verified).not.toHaveProperty('signature');
});

test('a report without signatures holds for nobody who names a signer', async () => {
  const folder = await opened(await writtenReport());
  await expect(verifyReport(folder, { verifier, version: VERSION, show: () => {} })).rejects.toMatchObject({
    code: 'report.signature_missing',
  });
});
