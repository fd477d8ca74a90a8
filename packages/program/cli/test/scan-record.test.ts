import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changesOf, temporaryFolder } from '@colophon/testkit';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { runLine } from './command-line.ts';

const schemaIn = (file: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../../docs/json', file), 'utf8'));
const ajv = new Ajv2020.default({ strict: false, schemas: [schemaIn('common.v1.json')] });
addFormats.default(ajv);
const hasForm = ajv.compile(schemaIn('scan.v1.json'));
const DIGEST = `sha256:${'a'.repeat(64)}`;
const KEPT = {
  format: 'colophon-scan/v1',
  scanner: { name: 'grype', version: '0.104.0', databaseBuiltAt: '2026-11-20T06:00:00Z' },
  scannedAt: '2026-11-21T10:00:00Z',
  target: 'shop.cdx.json',
  namedBoms: [{ serialNumber: 'urn:uuid:1', version: 1 }],
  sbom: {
    digest: DIGEST,
    serialNumber: 'urn:uuid:1',
    version: 1,
    timestamp: '2026-11-20T10:00:00Z',
    artifact: 'shop',
    artifactVersion: '1.2.0',
  },
  source: { name: 'grype.json', digest: DIGEST },
  findings: [
    {
      id: 'CVE-2021-44228',
      severity: 'critical',
      cvss: { score: 10 },
      component: {
        name: 'log4j-core',
        version: '2.14.1',
        purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
      },
      fixedInVersions: ['2.15.0'],
      description: '',
      aliases: ['GHSA-jfh8-c2jp-5v3q'],
      published: '2021-12-10',
      reportedBy: [{ scanner: 'grype', id: 'GHSA-jfh8-c2jp-5v3q', severity: 'Critical', score: 10, source: 'nvd' }],
    },
  ],
  unread: [
    { path: '/x', code: 'scan.other_kind', message: 'Secrets.', component: { name: 'a', version: '1' }, count: 2 },
  ],
};
const SBOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 3,
  metadata: { timestamp: '2026-11-20T10:00:00Z', component: { type: 'application', name: 'shop', version: '1.2.0' } },
};
/** Written as a number that JSON has, and that no reader in JavaScript can hold. */
const HUGE = '@huge';

/** What `scan import --record` writes for a file, or undefined where it refuses it with a code. */
async function written(document: unknown, ...more: string[]): Promise<unknown> {
  const folder = temporaryFolder(onTestFinished);
  const [from, to] = [join(folder, 'kept.json'), join(folder, 'out.json')];
  writeFileSync(from, JSON.stringify(document).replaceAll(`"${HUGE}"`, '1e999'));
  const ran = await runLine(['scan', 'import', from, '--record', to, '-o', 'json', ...more]);
  if (ran.exitCode === 0) return JSON.parse(readFileSync(to, 'utf8'));
  expect(ran.stdout + ran.stderr).toMatch(/scan_record\.|finding\.|scan\./);
  return undefined;
}

test.each([
  '/target',
  '/scanner/version',
  '/sbom/artifact',
  '/sbom/artifactVersion',
  '/sbom/serialNumber',
  '/unread/0/component/version',
  '/findings/0/reportedBy/0/severity',
  '/findings/0/reportedBy/0/source',
])('a blank %s is not written again', async (path) => {
  const [, change] = [...changesOf(KEPT)].find(([at]) => at === path)!;
  expect(hasForm(change(' '))).toBe(false);
  const record = await written(change(' '));
  expect(record).toBeDefined();
  expect(hasForm(record)).toBe(true);
});

test('a blank reason for not counting a finding is still one', async () => {
  const [finding] = KEPT.findings;
  const [report] = finding!.reportedBy;
  const silent = { ...finding, suppressed: ' ', reportedBy: [{ ...report, suppressed: '' }] };
  const record = await written({ ...KEPT, findings: [silent] });
  const reason = 'no reason given';
  expect(record).toMatchObject({ findings: [{ suppressed: reason, reportedBy: [{ suppressed: reason }] }] });
});

const ODD = [
  ...[null, true, 0, -1, 0.5, HUGE, [], {}, [' '], ['x'], [{}]],
  ...['', ' ', '\u00a0\t', '\u200b', 'x', 'X', 'a'.repeat(64), `sha256:${'A'.repeat(64)}`],
  ...['2026-02-30', 'yesterday', '2026-11-21 10:00:00z', '2026-11-21T10:00:00.1234567891+01:00'],
  ...['0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00Z'],
];

test('whatever stands in a kept scan, what is written of it has the published form and is written again as it is', async () => {
  const changes = [...changesOf(KEPT)].map(([, change]) => change);
  const odd = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'grapheme', maxLength: 3 }));
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...changes), odd, async (change, value) => {
      const record = await written(change(value));
      if (record === undefined) return;
      kept += 1;
      expect(hasForm(record)).toBe(true);
      expect(await written(record)).toEqual(record);
    }),
    { numRuns: 150 },
  );
  expect(kept).toBeGreaterThan(30);
});

test('what an SBOM says of itself is written in the published form', async () => {
  for (const [path, change] of changesOf(SBOM)) {
    if (path === '/bomFormat') continue;
    for (const value of ODD) {
      const folder = temporaryFolder(onTestFinished);
      const file = join(folder, 'shop.cdx.json');
      writeFileSync(file, JSON.stringify(change(value)).replaceAll(`"${HUGE}"`, '1e999'));
      const [finding] = KEPT.findings;
      const to = join(folder, 'out.json');
      writeFileSync(join(folder, 'x.json'), JSON.stringify([finding]));
      const ran = await runLine(['scan', 'import', join(folder, 'x.json'), '--sbom', file, '--record', to]);
      if (ran.exitCode !== 0) expect(ran.stderr).toMatch(/cli\.sbom_invalid/);
      else expect([path, value, hasForm(JSON.parse(readFileSync(to, 'utf8')))]).toEqual([path, value, true]);
    }
  }
});

test.each(['0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59'])(
  'a kept scan of %s, which no year of UTC has, is refused',
  async (scannedAt) => {
    const file = join(temporaryFolder(onTestFinished), 'kept.json');
    writeFileSync(file, JSON.stringify({ ...KEPT, scannedAt }));
    const ran = await runLine(['scan', 'import', file]);
    expect([ran.exitCode, ran.stderr]).toEqual([20, expect.stringContaining('scan_record.field_invalid')]);
  },
);
