import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { assessFindings, enrichFindings, scanRecord } from '@colophon/findings';
import { digestOf, type RemediationRecord, type ScannedSbom, type ScanRecord } from '@colophon/records';
import { partialScans, RemediationDesk } from '@colophon/remediation';
import { DEFAULT_REMEDIATION_POLICY } from '@colophon/remediation-rules';
import { readScannerOutput, runScanner } from '@colophon/scanners';
import { openSqlDatabase } from '@colophon/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grypeDatabase } from './grype-database.ts';
import { LOCKFILES } from './lockfile-samples.ts';
import { findProgram, isMissing, run, TOOLS } from './programs.ts';

const ROOT = join(import.meta.dirname, '..');
const SCANNERS = ['grype', 'osv-scanner'] as const;
type ScannerName = (typeof SCANNERS)[number];

/** By type of a package URL: what OSV calls the ecosystem; grype's database here holds four of them. */
const ECOSYSTEMS: Readonly<Record<string, { readonly name: string; readonly isGrype?: true }>> = {
  npm: { name: 'npm', isGrype: true },
  pypi: { name: 'PyPI', isGrype: true },
  maven: { name: 'Maven', isGrype: true },
  golang: { name: 'Go', isGrype: true },
  cargo: { name: 'crates.io' },
  gem: { name: 'RubyGems' },
  composer: { name: 'Packagist' },
  nuget: { name: 'NuGet' },
  deb: { name: 'Debian:12' },
  apk: { name: 'Alpine:v3.19' },
};

type Part = { name: string; group?: string; version?: string; purl?: string };
type Bom = { serialNumber: string; metadata: { timestamp: string; component: { name: string } }; components: Part[] };
type Package = { readonly type: string; readonly name: string; readonly version: string; readonly fix: string };
/** What syft says of one target, and the packages of it that have an advisory. */
type Target = { readonly name: string; readonly bom: Bom; readonly packages: readonly Package[] };

const MOST_PACKAGES = 6;

/** Packages in one version whose next one is easy to name; spread over the document. */
function packagesOf({ components }: Bom): readonly Package[] {
  const once = Map.groupBy(components, ({ purl = '' }) => purl.replace(/@[^@]*$/, ''));
  const found = components.flatMap(({ purl = '', version = '' }): Package[] => {
    const [, type = '', path = ''] = /^pkg:([a-z]+)\/([^?]*)@[^@]*$/.exec(purl.replace(/\?.*/, '')) ?? [];
    const isPlain = /^v?\d+(?:\.\d+)+(?:-r?\d+)?$/.test(version);
    if (!isPlain || ECOSYSTEMS[type] === undefined || once.get(purl.replace(/@[^@]*$/, ''))?.length !== 1) return [];
    const fix = version.replace(/\d+$/, (digits) => String(Number(digits) + 1));
    return [{ type, name: advisoryName(type, decodeURIComponent(path), purl), version, fix }];
  });
  const step = Math.max(1, Math.floor(found.length / MOST_PACKAGES));
  return found.filter((_, index) => index % step === 0).slice(0, MOST_PACKAGES);
}

/** Maven's names have a colon; a distribution's advisories are of the source package. */
function advisoryName(type: string, path: string, purl: string): string {
  if (type === 'maven') return path.replace('/', ':');
  if (type !== 'deb' && type !== 'apk') return path;
  const upstream = /[?&]upstream=([^&]*)/.exec(purl)?.[1];
  return decodeURIComponent(upstream ?? path.split('/').at(-1)!).replace(/@.*/, '');
}

function advisoryOf({ type, name, version, fix }: Package, index: number) {
  const id = `GHSA-${String(index).padStart(4, '2').replaceAll('0', 'c').replaceAll('1', 'f')}-2222-3333`;
  const goPlain = (text: string) => (type === 'golang' ? text.replace(/^v/, '') : text);
  return {
    schema_version: '1.6.0',
    id,
    aliases: [`CVE-2031-${10_000 + index}`],
    summary: `${name} before ${fix}`,
    published: '2026-11-01T00:00:00Z',
    modified: '2026-11-01T00:00:00Z',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    affected: [
      {
        package: { ecosystem: ECOSYSTEMS[type]!.name, name },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: goPlain(fix) }] }],
        versions: [goPlain(version)],
      },
    ],
  };
}

describe.skipIf(isMissing('syft', 'grype', 'grype-database', 'osv-scanner', 'actionlint', 'crane', 'zip'))(
  'SBOMs by syft, and what grype and osv-scanner say of them',
  () => {
    let folder: string;
    let env: NodeJS.ProcessEnv;
    let targets: readonly Target[];
    const at = (name: string) => join(folder, name);

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'colophon-pairs-'));
      targets = await catalogued(await sources(folder));
      const packages = new Map(targets.flatMap((one) => one.packages.map((each) => [JSON.stringify(each), each])));
      const known = [...packages.values()].map((one, index) => ({ one, advisory: advisoryOf(one, index) }));
      for (const [ecosystem, listed] of Map.groupBy(known, ({ one }) => ECOSYSTEMS[one.type]!.name.split(':')[0]!)) {
        const database = at(`osv/osv-scanner/${ecosystem}`);
        mkdirSync(database, { recursive: true });
        const names = listed.map(({ advisory }) => `${advisory.id}.json`);
        for (const { advisory } of listed)
          writeFileSync(join(database, `${advisory.id}.json`), JSON.stringify(advisory));
        await run('zip', ['-q', 'all.zip', ...names], { cwd: database });
      }
      const forGrype = known.filter(({ one }) => ECOSYSTEMS[one.type]!.isGrype).map(({ advisory }) => advisory);
      const grype = await grypeDatabase(at('grype'), JSON.stringify(forGrype));
      env = { ...process.env, HOME: folder, PATH: `${TOOLS}:${process.env['PATH']}`, ...grype };
    }, 300_000);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    async function scanOf(scanner: ScannerName, bytes: Uint8Array): Promise<ScanRecord> {
      const args = scanner === 'grype' ? [] : ['--offline', '--local-db-path', at('osv')];
      const ran = await runScanner({ scanner, target: { kind: 'sbom', bytes }, env, args });
      const read = readScannerOutput(ran.output);
      if (!read.ok) throw new Error(JSON.stringify(read.issues));
      const [reading] = read.value;
      const whole = { scannedAt: ran.startedAt, ...reading!, scanner: { ...ran.scanner, ...reading!.scanner } };
      const { findings } = assessFindings([reading!], { at: ran.startedAt });
      return scanRecord(whole, findings, { name: `${scanner}.json`, digest: digestOf(ran.output) }, sbomOf(bytes));
    }

    test('of thirty and more none is refused, at opening or at closing, and no reason is needed', async () => {
      const db = await openSqlDatabase(at('remediation.db'));
      const desk = await RemediationDesk.over(db);
      const who = { by: 'dana@example.com', policy: DEFAULT_REMEDIATION_POLICY };
      const refused: string[] = [];
      let pairs = 0;
      for (const scanner of SCANNERS) {
        for (const { name, bom, packages } of targets) {
          if (scanner === 'grype' && !packages.some(({ type }) => ECOSYSTEMS[type]!.isGrype)) continue;
          const pair = `${name} by ${scanner}`;
          const product = {
            ...bom,
            metadata: { ...bom.metadata, component: { ...bom.metadata.component, name: pair } },
          };
          const before = fileOf(product);
          const scan = await scanOf(scanner, before.bytes);
          const now = new Date(Date.now() + 60_000).toISOString();
          try {
            const opening = await desk.open({
              ...{ ...who, at: now, sbom: before, owner: who.by, trackingId: 'SEC-1' },
              scans: [{ scan, findings: enrichFindings(scan.findings, NO_CATALOG, { at: now }) }],
            });
            expect([pair, partialScans([scan], before.bytes)]).toEqual([pair, []]);
            const record = opening.opened.find(({ fixed_in_versions: fixes }) => fixes.length === 1);
            expect([pair, record !== undefined]).toEqual([pair, true]);
            const after = fileOf(patched(product, record!));
            const rescan = await scanOf(scanner, after.bytes);
            const files = { kind: 'rescan', sbom: after, scans: [rescan], deployed: now } as const;
            const [closed] = await desk.close([record!.id], { ...who, at: now, files });
            expect([pair, closed!.history.at(-1)!.overrides]).toEqual([pair, undefined]);
            expect([pair, partialScans([rescan], after.bytes)]).toEqual([pair, []]);
          } catch (error) {
            refused.push(`${pair}: ${error} ${JSON.stringify((error as { facts?: unknown }).facts)}`);
          }
          pairs += 1;
        }
      }
      await db.close();
      expect(refused).toEqual([]);
      expect(pairs).toBeGreaterThanOrEqual(30);
    }, 300_000);
  },
);

/** It is done before it has to tidy up. */
const SYFT = { SYFT_CHECK_FOR_APP_UPDATE: 'false', GOGC: 'off' };
const NO_CATALOG = { catalogVersion: '', count: 0, entries: new Map() };

/** Where syft looks: lockfiles, our own among them, modules of the programs here, and such programs as they are built. */
async function sources(folder: string): Promise<ReadonlyArray<readonly [name: string, source: string]>> {
  const folders = LOCKFILES.map(([name, files]) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name, path)), { recursive: true });
      writeFileSync(join(folder, name, path), text);
    }
    return [name, `dir:${join(folder, name)}`] as const;
  });
  mkdirSync(join(folder, 'own'));
  writeFileSync(join(folder, 'own', 'package-lock.json'), readFileSync(join(ROOT, 'package-lock.json')));
  // Without the sources, of which syft would ask the compiler.
  const modules = ['grype', 'gitsign', 'rekor-tiles'].map((name) => {
    const copy = join(folder, `${name} module`);
    mkdirSync(copy);
    for (const file of ['go.mod', 'go.sum'])
      writeFileSync(join(copy, file), readFileSync(join(ROOT, '.ci', name, file)));
    return [`${name} module`, `dir:${copy}`];
  });
  const programs = ['actionlint', 'crane'].map((name) => [`${name} program`, `file:${findProgram(name)}`]);
  return [...folders, ['own', `dir:${join(folder, 'own')}`], ...modules, ...programs] as [string, string][];
}

/** Two at a time: syft takes two seconds of a processor before it does anything. */
async function catalogued(wanted: ReadonlyArray<readonly [name: string, source: string]>): Promise<Target[]> {
  const found: Target[] = [];
  const waiting = [...wanted];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, source] = next;
      const args = ['scan', source, '--quiet', '--source-name', name, '--output', 'cyclonedx-json'];
      const { code, stdout, stderr } = await run('syft', args, { env: SYFT });
      if (code !== 0) throw new Error(`syft of ${name}: ${stderr}`);
      const bom = JSON.parse(stdout) as Bom;
      found.push({ name, bom, packages: packagesOf(bom) });
    }
  };
  await Promise.all([work(), work()]);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function fileOf(bom: Bom): { readonly name: string; readonly bytes: Uint8Array } {
  return { name: 'bom.cdx.json', bytes: new TextEncoder().encode(JSON.stringify(bom)) };
}

function sbomOf(bytes: Uint8Array): ScannedSbom {
  const { serialNumber, metadata } = JSON.parse(new TextDecoder().decode(bytes)) as Bom;
  const timestamp = new Date(metadata.timestamp).toISOString();
  return { digest: digestOf(bytes), serialNumber, version: 1, timestamp, artifact: metadata.component.name };
}

/** The SBOM of the next build, in which one package is as its advisory wants it. */
function patched(bom: Bom, { component, current_version: version, fixed_in_versions: [fix] }: RemediationRecord): Bom {
  const plain = (text: string) => text.replace(/^v/, '');
  return {
    ...bom,
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    metadata: { ...bom.metadata, timestamp: new Date(Date.parse(bom.metadata.timestamp) + 1000).toISOString() },
    components: bom.components.map((one) => {
      const isIt = component.endsWith(one.name) && plain(one.version ?? '') === plain(version);
      if (!isIt) return one;
      const next = `${/^v/.test(one.version!) ? 'v' : ''}${plain(fix!)}`;
      const { purl } = one;
      return { ...one, version: next, ...(purl && { purl: purl.replace(`@${one.version}`, `@${next}`) }) };
    }),
  };
}
