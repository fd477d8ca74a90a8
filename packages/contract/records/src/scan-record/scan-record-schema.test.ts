import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { scanRecordSchema } from './scan-record-schema.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const scan = {
  format: 'colophon-scan/v1',
  scanner: { name: 'grype', version: '0.104.0', databaseBuiltAt: '2026-11-20T06:00:00Z' },
  scannedAt: '2026-11-21T10:00:00Z',
  sbom: { digest: DIGEST, serialNumber: 'urn:uuid:1', version: 1, artifact: 'shop' },
  source: { name: 'grype.json', digest: DIGEST },
  findings: [],
  unread: [{ path: '/matches/3', code: 'scan.id_missing', message: 'an entry without an id' }],
};

test.each([
  ['a scan', {}, true],
  ['one that says no more than it has to', { scannedAt: undefined, sbom: undefined, scanner: { name: 'trivy' } }, true],
  ['one with members of a later program', { note: 1 }, true],
  ['another format', { format: 'colophon-scan/v2' }, false],
  ['one without its scanner', { scanner: undefined }, false],
  ['one whose output has no digest', { source: { name: 'grype.json' } }, false],
  ['an SBOM by something that is no digest', { sbom: { digest: 'sha256:abc' } }, false],
  ['one that looked yesterday', { scannedAt: 'yesterday' }, false],
  ['one that looked at a time without its offset', { scannedAt: '2026-11-21T10:00:00' }, false],
  ['one at another offset', { scannedAt: '2026-11-21T11:00:00.5+01:00' }, true],
  ['a database of some day', { scanner: { name: 'grype', databaseBuiltAt: '2026-11-20' } }, false],
  ['an SBOM of a time that is none', { sbom: { ...scan.sbom, timestamp: 'now' } }, false],
  ['a finding without a component', { findings: [{ id: 'CVE-2026-1' }] }, false],
])('%s is read: %s', (_what, change, isValid) => {
  expect(Check(scanRecordSchema, JSON.parse(JSON.stringify({ ...scan, ...change })))).toBe(isValid);
});
