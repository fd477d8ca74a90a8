import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLOPHON } from './colophon-up.ts';
import { grypeDatabase } from './grype-database.ts';
import { isMissing, run } from './programs.ts';

const RECORDS = readFileSync(join(import.meta.dirname, 'log4j', 'advisories.json'));
const SBOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.7',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 1,
  metadata: { timestamp: '2026-11-20T10:00:00Z', component: { type: 'application', name: 'shop', version: '1.0.0' } },
  components: [
    {
      type: 'library',
      group: 'org.apache.logging.log4j',
      name: 'log4j-core',
      version: '2.14.1',
      purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
    },
  ],
};

describe.skipIf(isMissing('grype', 'grype-database', 'osv-scanner', 'zip'))('real scanners on one SBOM', () => {
  let folder: string;
  let env: Record<string, string>;
  const at = (name: string) => join(folder, name);
  const scanRun = (...args: string[]) =>
    run(COLOPHON, ['scan', 'run', '--sbom', at('shop.cdx.json'), ...args], { env });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'colophon-scanners-'));
    writeFileSync(at('shop.cdx.json'), JSON.stringify(SBOM));
    const records = JSON.parse(RECORDS.toString()) as { id: string }[];
    const database = at('osv/osv-scanner/Maven');
    mkdirSync(database, { recursive: true });
    for (const record of records) writeFileSync(join(database, `${record.id}.json`), JSON.stringify(record));
    spawnSync('zip', ['-q', 'all.zip', ...records.map(({ id }) => `${id}.json`)], { cwd: database });
    env = { HOME: folder, COLOPHON_HOME: at('home'), ...(await grypeDatabase(at('grype'), RECORDS)) };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('grype and osv-scanner agree, and are one list', async () => {
    const offline = ['--offline', '--local-db-path', at('osv')].map((word) => `--scanner-arg=${word}`);
    const grype = await scanRun('--scanner', 'grype', '--record', at('grype.json'));
    const osv = await scanRun('--scanner', 'osv-scanner', ...offline, '--record', at('osv.json'));
    expect([grype.code, osv.code], `${grype.stderr}\n${osv.stderr}`).toEqual([0, 0]);
    const { stdout } = await run(COLOPHON, ['scan', 'import', at('grype.json'), at('osv.json'), '-o', 'json'], { env });
    const findings = JSON.parse(stdout) as { id: string; reportedBy: { scanner: string }[] }[];
    expect(findings.map(({ id }) => id).sort()).toEqual([
      'CVE-2021-44228',
      'CVE-2021-44832',
      'CVE-2021-45046',
      'CVE-2021-45105',
    ]);
    for (const { reportedBy } of findings) {
      expect(reportedBy.map(({ scanner }) => scanner)).toEqual(['grype', 'osv-scanner']);
    }
  });

  test('the record of a scan says who looked, at what, with how old a database', async () => {
    const [record] = [JSON.parse(readFileSync(at('grype.json'), 'utf8'))].flat();
    expect(record).toMatchObject({
      format: 'colophon-scan/v1',
      scanner: { name: 'grype', version: '0.120.0', databaseBuiltAt: '2026-11-20T00:00:00Z' },
      sbom: { serialNumber: SBOM.serialNumber, version: 1, artifact: 'shop' },
    });
  });

  test('a threshold that is reached ends the program with 21', async () => {
    const { code } = await scanRun('--scanner', 'grype', '--fail-on', 'high');
    expect(code).toBe(21);
  });

  test('a scanner that cannot work is no empty list', async () => {
    const { code, stdout } = await scanRun('--scanner', 'osv-scanner', '--scanner-arg=--offline', '-o', 'json');
    expect(code).not.toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: expect.stringMatching(/^feeds\.scanner_/) } });
  });
});
