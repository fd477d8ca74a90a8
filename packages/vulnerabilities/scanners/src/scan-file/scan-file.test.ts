import { expect, test } from 'vitest';
import { openScanBytes, readScanDocument, type ScanFile, type ScanFileFacts, type ScanResult } from './scan-file.ts';

const FINDING = {
  id: 'CVE-2026-1000',
  component: { name: 'left-pad', version: '1.3.0', purl: 'pkg:npm/left-pad@1.3.0' },
  severity: 'high',
};

/** What a bot that is handed a file makes of it: with the packages alone. */
async function read(document: unknown, facts: ScanFileFacts = {}): Promise<ScanResult<ScanFile>> {
  const opened = openScanBytes(Buffer.from(JSON.stringify(document)), 'given.json');
  return opened.ok ? readScanDocument(opened.value, facts) : opened;
}

test.each([
  ['a list', [FINDING]],
  ['one alone', FINDING],
  ['a list in a member', { findings: [FINDING] }],
])('findings are a scan of nobody, given as %s', async (_how, document) => {
  const result = await read(document);
  expect(result).toMatchObject({
    ok: true,
    value: { kind: 'findings', scans: [{ scanner: { name: 'findings' }, source: { name: 'given.json' } }] },
  });
});

test('a record that was kept is read as it was written', async () => {
  const first = await read([FINDING], { scannedAt: '2026-11-20T10:00:00Z' });
  const [record] = first.ok ? first.value.scans : [];
  expect(await read(record, { scannedAt: '2026-11-23T10:00:00Z' })).toEqual({
    ok: true,
    value: { kind: 'scan record', scans: [record], notes: [] },
  });
});

test.each([
  ['SBOM', { bomFormat: 'CycloneDX', specVersion: '1.6', components: [] }],
  ['VEX', { '@context': 'https://openvex.dev/ns/v0.2.0', statements: [] }],
  ['catalog', { catalogVersion: '2026.11.20', vulnerabilities: [] }],
])('%s that is given as a scan is named', async (stranger, document) => {
  expect(await read(document)).toMatchObject({ ok: false, stranger });
});

test('what is no JSON has an issue that says so', () => {
  expect(openScanBytes(Buffer.from('<html>'), 'given.json')).toMatchObject({ ok: false });
});
