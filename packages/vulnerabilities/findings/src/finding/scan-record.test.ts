import { type Finding, type ScanRecord, scanRecordSchema } from '@colophon/records';
import { changesOf } from '@colophon/testkit';
import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { isScanRecord, parseScanRecord, scanRecord } from './scan-record.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const finding: Finding = {
  id: 'CVE-2021-44228',
  severity: 'high',
  component: { name: 'log4j-core' },
  fixedInVersions: [],
  description: '',
  aliases: [],
  reportedBy: [{ scanner: 'grype', id: 'CVE-2021-44228', severity: 'High' }],
};
const reading = {
  scanner: { name: 'grype', version: '0.100.0', databaseBuiltAt: '2026-11-20T00:00:00Z' },
  scannedAt: '2026-11-21T10:00:00Z',
  target: 'shop.cdx.json',
  unread: [
    { path: '/x', code: 'scan.other_kind', message: 'Secrets.', count: 2 },
    { path: '/y', code: 'scan.not_scanned', message: '', component: { name: 'a', version: '1', purl: 'pkg:npm/a@1' } },
    { path: '/z', code: 'scan.not_scanned', message: '', component: { name: 'b' } },
  ],
};
const sbom = {
  digest,
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 2,
  timestamp: '2026-11-21T09:00:00Z',
  artifact: 'shop',
  artifactVersion: '1.2.0',
};
const full = scanRecord(reading, [finding], { name: 'grype.json', digest }, sbom);
const smallest = scanRecord({ scanner: { name: 'x' }, unread: [] }, [], { name: 'x', digest });

test.each([full, smallest])('a record is read as it was written', (record) => {
  expect(isScanRecord(record)).toBe(true);
  expect(parseScanRecord(JSON.parse(JSON.stringify(record)))).toEqual({ ok: true, value: record });
});

test('times are brought to UTC, and the scanner’s name to lower case', () => {
  const changed = { ...full, scanner: { name: 'Grype' }, scannedAt: '2026-11-21T11:00:00+01:00' };
  expect(parseScanRecord(changed)).toMatchObject({
    ok: true,
    value: { scanner: { name: 'grype' }, scannedAt: '2026-11-21T10:00:00Z' },
  });
});

test.each<[string, object, string, string]>([
  ['another format', { format: 'colophon-scan/v2' }, '/format', 'scan_record.field_invalid'],
  ['no scanner', { scanner: undefined }, '/scanner', 'scan_record.field_missing'],
  ['a scanner without a name', { scanner: { version: '1' } }, '/scanner/name', 'scan_record.field_missing'],
  ['a time without its offset', { scannedAt: '2026-11-21T10:00:00' }, '/scannedAt', 'scan_record.field_invalid'],
  ['a time as a number', { scannedAt: 5 }, '/scannedAt', 'scan_record.field_type'],
  ['no source', { source: undefined }, '/source', 'scan_record.field_missing'],
  ['another digest', { source: { name: 'x', digest: 'md5:1' } }, '/source/digest', 'scan_record.field_invalid'],
  ['an SBOM without its digest', { sbom: {} }, '/sbom/digest', 'scan_record.field_missing'],
  [
    'what was not read in something that is no component',
    { unread: [{ code: 'scan.not_scanned', component: 'a' }] },
    '/unread/0/component',
    'scan_record.field_type',
  ],
  ['no list of what was not read', { unread: {} }, '/unread', 'scan_record.field_type'],
  ['no findings', { findings: undefined }, '/findings', 'finding.field_type'],
  ['a broken finding', { findings: [{}] }, '/findings/0/id', 'finding.field_missing'],
])('with %s it is none', (_what, change, path, code) => {
  const parsed = parseScanRecord({ ...full, ...change } as unknown as ScanRecord);
  expect(parsed.ok ? [] : parsed.issues).toContainEqual(expect.objectContaining({ path, code }));
});

test.each([null, [], 'x', {}])('%j is no record', (value) => {
  expect(isScanRecord(value)).toBe(false);
  expect(parseScanRecord(value).ok).toBe(false);
});

const ODD = [
  ...[undefined, null, true, 0, -1, 0.5, Number.POSITIVE_INFINITY, [], {}, [' '], ['x'], [{}]],
  ...['', ' ', '\u00a0\t', '\u200b', 'x', 'X', 'a'.repeat(64), `sha256:${'A'.repeat(64)}`],
  ...['2026-02-28', 'yesterday', '2026-11-21 10:00:00z', '2026-11-21T10:00:00.123456789012+01:00'],
  ...['2026-11-21T10:00:00.1234567890123Z', '9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00Z'],
];
// What no pattern can say.
const IN_NO_YEAR = '9999-12-31T23:59:59-23:59';

test('of every odd value in every place the schema allows no more than is read, and what is read has its form', () => {
  const read = { allowed: 0, beyond: 0 };
  for (const [path, change] of changesOf({ ...full, namedBoms: [{ serialNumber: 'urn:uuid:1', version: 1 }] })) {
    for (const odd of ODD) {
      const changed: unknown = change(odd);
      const parsed = parseScanRecord(changed);
      const allows = odd !== Number.POSITIVE_INFINITY && Check(scanRecordSchema, JSON.parse(JSON.stringify(changed)));
      if (allows && odd !== IN_NO_YEAR) expect([path, odd, parsed.ok]).toEqual([path, odd, true]);
      if (!parsed.ok) continue;
      read[allows ? 'allowed' : 'beyond'] += 1;
      const written: unknown = JSON.parse(JSON.stringify(parsed.value));
      expect([path, odd, Check(scanRecordSchema, written)]).toEqual([path, odd, true]);
      expect(parseScanRecord(written)).toEqual({ ok: true, value: written });
    }
  }
  expect(read.allowed).toBeGreaterThan(200);
  expect(read.beyond).toBeGreaterThan(50);
});
