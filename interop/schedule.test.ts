import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresPrograms, startPostgres } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLOPHON, type Installation, startColophon } from './colophon-up.ts';
import { grypeDatabase } from './grype-database.ts';
import { isMissing, run } from './programs.ts';
import { newKey } from './publishers.ts';

const CATALOG = (cves: readonly string[]) =>
  JSON.stringify({
    catalogVersion: `2026.11.${20 + cves.length}`,
    count: cves.length,
    vulnerabilities: cves.map((cveID) => ({ cveID })),
  });
const ADVISORIES = readFileSync(join(import.meta.dirname, 'log4j', 'advisories.json'));
const SBOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:5d2cbb6e-2a1e-4f4e-8d80-6c1f7c5b3a10',
  version: 1,
  metadata: { timestamp: '2026-11-20T10:00:00Z', component: { type: 'application', name: 'shop', version: '1.0.0' } },
  components: [
    {
      type: 'library',
      name: 'log4j-core',
      version: '2.14.1',
      purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
    },
  ],
};

function hasNoPostgres(): boolean {
  if (postgresPrograms() !== undefined) return false;
  if (process.env['CI'] === 'true') throw new Error('PostgreSQL is missing: .ci/tools.sh installs it');
  process.stderr.write('skipped: PostgreSQL not found; run .ci/tools.sh\n');
  return true;
}

describe.skipIf(isMissing('grype', 'grype-database') || hasNoPostgres())(
  'two replicas with one PostgreSQL, a published SBOM and a real scanner',
  () => {
    const closers: Array<() => unknown> = [];
    let up: Installation;
    let env: Record<string, string>;
    let site: string;
    let feed: string;
    beforeAll(async () => {
      const server = await startPostgres((close) => closers.push(close));
      up = await startColophon();
      closers.push(() => up.stop());
      site = join(up.folder, 'site');
      feed = join(up.folder, 'known-exploited.json');
      mkdirSync(site);
      env = {
        ...up.env,
        ...(await grypeDatabase(join(up.folder, 'grype'), ADVISORIES)),
        COLOPHON_DATABASE: server.createDatabase('remediation'),
      };
      writeFileSync(join(up.folder, 'shop.cdx.json'), JSON.stringify(SBOM));
      const key = newKey(up.folder).file;
      const published = await colophon('sbom', 'publish', join(up.folder, 'shop.cdx.json'), '--to', site, '--key', key);
      expect(published.code, published.stderr).toBe(0);
    });
    afterAll(async () => {
      for (const close of closers.reverse()) await close();
    });

    const colophon = (...args: string[]) => run(COLOPHON, args, { env });
    const replica = async () => {
      const { code, stdout, stderr } = await colophon(
        ...['schedule', 'run', '--once', '--kev', feed, '--rescan', site, '--scanner', 'grype', '-o', 'json'],
      );
      expect(code, stderr).toBe(0);
      return (JSON.parse(stdout) as { runs: { name: string; outcome: string }[] }).runs;
    };
    const records = async () => {
      const { stdout } = await colophon('remediation', 'list', '-o', 'json');
      return (JSON.parse(stdout) as { records: RecordLine[] }).records;
    };

    test('run each job once between them, and open what the scanner lists', async () => {
      writeFileSync(feed, CATALOG(['CVE-2021-44228']));
      const runs = (await Promise.all([replica(), replica()])).flat();
      expect(runs.map(({ name }) => name.split(' ')[0]).sort()).toEqual(['kev-refresh', 'rescan']);
      expect(runs.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
      expect((await records()).map(({ cve }) => cve).sort()).toEqual([
        'CVE-2021-44228',
        'CVE-2021-44832',
        'CVE-2021-45046',
        'CVE-2021-45105',
      ]);
    });

    test('run nothing again before it is due', async () => {
      expect((await Promise.all([replica(), replica()])).flat()).toEqual([]);
    });

    test('a catalog that takes up a CVE makes its open record more urgent, with an earlier due time', async () => {
      const before = (await records()).find(({ cve }) => cve === 'CVE-2021-45105')!;
      writeFileSync(feed, CATALOG(['CVE-2021-44228', 'CVE-2021-45105']));
      const { code, stderr } = await colophon('kev', 'update', '--kev', feed);
      expect(code, stderr).toBe(0);
      const after = (await records()).find(({ cve }) => cve === 'CVE-2021-45105')!;
      expect([before.remediation_priority, after.remediation_priority]).toEqual(['standard', 'high-exploited']);
      expect(after.due_at! < before.due_at!).toBe(true);
      expect(after.cisa_kev).toBe(true);
    });
  },
);

type RecordLine = {
  readonly cve: string;
  readonly remediation_priority: string;
  readonly due_at: string | null;
  readonly cisa_kev: boolean;
};
