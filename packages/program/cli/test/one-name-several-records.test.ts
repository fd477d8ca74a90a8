import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let database: string;
let next = 0;

beforeAll(async () => {
  here = await install(cleanup);
});
beforeEach(() => {
  database = join(here.folder, `names-${next++}.db`);
});

const KETTLE = { name: 'kettle', version: '3.1.0' };
const MENDED = { name: 'kettle', version: '3.1.4' };
type Kettle = typeof KETTLE;
const purlOf = ({ name, version }: Kettle) => `pkg:npm/${name}@${version}`;

const ADVISORY = 'GHSA-2222-3333-4444';
const [QUIET, EXPLOITED] = ['CVE-2024-41001', 'CVE-2024-41002'];

/** An SBOM of the teapot as it was built on a day of May 2024. */
function sbom(day: number, part: Kettle): string {
  return here.file(`names-${next}-${day}.cdx.json`, {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:00000000-0000-4000-8000-${String(day).padStart(12, '0')}`,
    version: 1,
    metadata: {
      timestamp: `2024-05-${day}T07:00:00Z`,
      component: { type: 'application', 'bom-ref': 'teapot', name: 'teapot', version: `1.0.${day}` },
    },
    components: [{ type: 'library', 'bom-ref': 'kettle', ...part, purl: purlOf(part) }],
  });
}

/** What grype says: the name that it lists, and the names that it relates with it. */
function grype(
  day: number,
  part: Kettle,
  ...names: ReadonlyArray<readonly [id: string, ...related: string[]]>
): string {
  return here.file(`names-${next}-${day}-grype-${names.flat().join('-') || 'clean'}.json`, {
    matches: names.map(([id, ...related]) => ({
      vulnerability: { id, severity: 'Critical', cvss: [], fix: { versions: ['3.1.4'], state: 'fixed' } },
      relatedVulnerabilities: related.map((one) => ({ id: one })),
      matchDetails: [],
      artifact: { ...part, type: 'npm', purl: purlOf(part) },
    })),
    source: { type: 'sbom-file' },
    distro: {},
    descriptor: {
      name: 'grype',
      version: '0.100.0',
      timestamp: `2024-05-${day}T09:00:00Z`,
      db: { status: { built: `2024-05-${day}T01:00:00Z`, valid: true } },
    },
  });
}

/** What trivy says, which names one id alone. */
function trivy(day: number, part: Kettle, ...ids: readonly string[]): string {
  return here.file(`names-${next}-${day}-trivy-${ids.join('-') || 'clean'}.json`, {
    SchemaVersion: 2,
    CreatedAt: `2024-05-${day}T10:00:00Z`,
    ArtifactName: 'teapot',
    ArtifactType: 'cyclonedx',
    Trivy: { Version: '0.70.0' },
    Results: [
      {
        Target: 'teapot',
        Class: 'lang-pkgs',
        Type: 'npm',
        Vulnerabilities: ids.map((id) => ({
          VulnerabilityID: id,
          PkgName: part.name,
          InstalledVersion: part.version,
          PkgIdentifier: { PURL: purlOf(part) },
          Severity: 'CRITICAL',
          FixedVersion: '3.1.4',
        })),
      },
    ],
  });
}

const on = (...line: string[]) => ['remediation', ...line, '--database', database];
const owned = ['--owner', 'dana@example.com', '--tracking-id', 'SEC-7'];
const DATABASE_TIME = ['--database-time', '2024-05-10T01:00:00Z'];
const scansOf = (files: readonly string[]) => files.flatMap((file) => ['--scan', file]);
const open = (files: readonly string[], bom: string, ...more: string[]) =>
  here.document(...on('open', ...scansOf(files), '--sbom', bom, ...DATABASE_TIME, ...owned, ...more));
const closing = (record: string, files: readonly string[], bom: string) =>
  on(
    ...['close', record, ...scansOf(files), '--sbom', bom, '--database-time', '2024-05-20T01:00:00Z'],
    ...['--deployed-on', '2024-05-21', '--unsigned'],
  );
const list = async (...flags: string[]) => (await here.document(...on('list', ...flags))).records;
const openNamed = async (id: string) => (await list('--open', '--vulnerability', id)) as readonly Told[];

type Told = {
  readonly id: string;
  readonly cve: string;
  readonly aliases: readonly string[];
  readonly remediation_priority: string;
  readonly due_at: string;
  readonly discovered_at: string;
  readonly cisa_kev: boolean;
  readonly state: string;
  readonly sightings: ReadonlyArray<{ readonly scanner: string }>;
  readonly history: ReadonlyArray<{ readonly action: string; readonly reason?: string }>;
};

/** What a record answers, whatever it is called inside and whichever scan was read first. */
const answer = ({ cve, aliases, remediation_priority, due_at, discovered_at, cisa_kev, sightings }: Told) => ({
  cve,
  aliases,
  remediation_priority,
  due_at,
  discovered_at,
  cisa_kev,
  scanners: sightings.map(({ scanner }) => scanner),
});
const answers = async () => ((await list('--open')) as Told[]).map(answer).sort((a, b) => (a.cve < b.cve ? -1 : 1));

const codesOf = async (line: readonly string[]): Promise<string[]> => {
  const { exitCode, code, issues = [{ code }] } = await here.refusal(...line);
  expect(exitCode).toBe(20);
  return issues.map((issue: { code: string }) => issue.code);
};

function catalog(): string {
  const entry = {
    cveID: EXPLOITED,
    vendorProject: 'Kettle',
    product: 'Kettle',
    vulnerabilityName: 'Kettle boils over',
    dateAdded: '2024-05-01',
    shortDescription: 'x',
    requiredAction: 'x',
    dueDate: '2024-05-22',
  };
  return here.file(`names-${next}-kev.json`, {
    title: 'x',
    catalogVersion: '2024.05.09',
    dateReleased: '2024-05-09T00:00:00Z',
    count: 1,
    vulnerabilities: [entry],
  });
}

async function report(records?: string, period = '2024-Q2') {
  const out = join(here.folder, `names-${next}-report`);
  const line = ['--period', period, '--out', out, '--unsigned', '--force', '--database', database];
  const made = await here.run('report', 'quarterly', ...line, ...(records === undefined ? [] : ['--records', records]));
  expect(made.exitCode, made.stderr).toBe(0);
  const verified = await here.run('report', 'verify', out, '--unsigned', '-o', 'json');
  return { out, made, exitCode: verified.exitCode, verified: JSON.parse(verified.stdout) };
}

describe('an advisory that was given two CVEs', () => {
  const both = () => grype(10, KETTLE, [ADVISORY, QUIET, EXPLOITED]);
  const alone = () => trivy(10, KETTLE, ADVISORY);

  test('is listed for both of them by who names it alone, in whatever order it is read', async () => {
    const bom = sbom(10, KETTLE);
    const kev = ['--kev', catalog()];
    const told = [];
    for (const files of [[[both(), alone()]], [[alone(), both()]], [[both()], [alone()]], [[alone()], [both()]]]) {
      database = join(here.folder, `names-order-${next++}.db`);
      for (const some of files) await open(some, bom, ...kev);
      told.push(await answers());
    }
    const [first, ...others] = told;
    expect(first).toMatchObject([
      { cve: QUIET, aliases: [ADVISORY], cisa_kev: false, scanners: ['grype', 'trivy'] },
      { cve: EXPLOITED, aliases: [ADVISORY], cisa_kev: true, scanners: ['grype', 'trivy'] },
    ]);
    for (const other of others) {
      // Raised by the catalog, a record has its hours from the moment at which that was known.
      const known = other.map((one, index) => ({ ...one, due_at: first![index]!.due_at }));
      expect(known).toEqual(first);
    }
  });

  test('neither is closed before everybody has looked who listed the advisory, and either is opened again', async () => {
    const bom = sbom(10, KETTLE);
    await open([both()], bom, '--kev', catalog());
    await open([alone()], bom, '--kev', catalog());
    const [newer, silent] = [sbom(20, MENDED), grype(20, MENDED)];
    expect(await codesOf(closing(EXPLOITED, [silent], newer))).toEqual(['remediation.scanner_missing']);
    const still = trivy(20, MENDED, ADVISORY);
    expect(await codesOf(closing(EXPLOITED, [silent, still], newer))).toEqual(['remediation.still_listed']);
    for (const cve of [EXPLOITED, QUIET]) {
      await here.document(...closing(cve, [silent, trivy(20, MENDED)], newer));
    }
    const again = await open([trivy(21, MENDED, ADVISORY)], sbom(21, MENDED), '--kev', catalog());
    expect(again.reopened).toHaveLength(2);
    expect(again.records.map(({ cve, cisa_kev }: Told) => [cve, cisa_kev])).toEqual([
      [QUIET, false],
      [EXPLOITED, true],
    ]);
  });

  test('a report is verified as it was made, and in whatever order its records stand', async () => {
    const bom = sbom(10, KETTLE);
    await open([both(), alone()], bom, '--kev', catalog());
    const newer = sbom(20, MENDED);
    await here.document(...closing(EXPLOITED, [grype(20, MENDED), trivy(20, MENDED)], newer));
    const { exitCode, verified } = await report();
    expect([exitCode, verified.differences]).toEqual([0, []]);
    const exported = JSON.parse((await here.run(...on('export'))).stdout);
    expect(exported).toHaveLength(2);
    for (const records of [exported, exported.toReversed()]) {
      const again = await report(here.file(`names-${next}-records.json`, records));
      expect([again.exitCode, again.verified.differences]).toEqual([0, []]);
    }
  });
});

describe('two names that are found to be one vulnerability', () => {
  const CVE = 'CVE-2024-41002';

  test.each([
    ['the CVE first', () => trivy(10, KETTLE, CVE), () => grype(10, KETTLE, [ADVISORY])],
    ['the advisory first', () => grype(10, KETTLE, [ADVISORY]), () => trivy(10, KETTLE, CVE)],
  ])('leave one record open, and the other is set aside with its history: %s', async (_, one, other) => {
    const bom = sbom(10, KETTLE);
    const kev = ['--kev', catalog()];
    await open([one()], bom, ...kev);
    await open([other()], bom, ...kev);
    expect(await list('--open')).toHaveLength(2);
    await open([grype(11, KETTLE, [ADVISORY, CVE])], sbom(11, KETTLE), ...kev);
    const left = (await list('--open')) as Told[];
    expect(left).toMatchObject([
      {
        cve: CVE,
        aliases: [ADVISORY],
        cisa_kev: true,
        remediation_priority: 'critical-exploited',
        discovered_at: '2024-05-10T09:00:00Z',
      },
    ]);
    expect(left[0]!.sightings.map(({ scanner }) => scanner)).toEqual(['grype', 'trivy']);
    expect(await list('--vulnerability', CVE)).toHaveLength(2);
    expect(await list('--vulnerability', ADVISORY)).toHaveLength(2);
    const [aside] = (await list('--closed')) as Told[];
    expect(aside).toMatchObject({ cve: ADVISORY, state: 'closed', resolution: { kind: 'void', cause: 'joined' } });
    expect(aside!.history.map(({ action }) => action)).toEqual(['opened', 'voided']);
    expect(aside!.history.at(-1)!.reason).toContain(left[0]!.id);

    // The name means the record that is open, and closing it asks both scanners.
    const [newer, silent] = [sbom(20, MENDED), grype(20, MENDED)];
    expect(await codesOf(closing(ADVISORY, [silent], newer))).toEqual(['remediation.scanner_missing']);
    await here.document(...closing(CVE, [silent, trivy(20, MENDED)], newer));
    expect(await list('--open')).toEqual([]);
    const { exitCode, verified } = await report();
    expect([exitCode, verified.differences]).toEqual([0, []]);
    // Whatever it is called by, it is the one record that is opened again.
    const again = await open([grype(22, MENDED, [ADVISORY])], sbom(22, MENDED), ...kev);
    expect(again.reopened).toEqual([left[0]!.id]);
  });

  test('a report on a records file from which the one that goes on was taken counts the other one', async () => {
    const kev = ['--kev', catalog()];
    await open([trivy(10, KETTLE, CVE)], sbom(10, KETTLE), ...kev);
    await open([grype(10, KETTLE, [ADVISORY])], sbom(10, KETTLE), ...kev);
    await open([grype(11, KETTLE, [ADVISORY, CVE])], sbom(11, KETTLE), ...kev);
    const exported = JSON.parse((await here.run(...on('export'))).stdout) as readonly Told[];
    const isAside = ({ history }: Told) => history.at(-1)!.action === 'voided';
    const [aside, goesOn] = [exported.filter(isAside), exported.filter((one) => !isAside(one))];
    expect([aside.length, goesOn.length]).toEqual([1, 1]);
    const counts = async (records: readonly Told[]) => {
      const { exitCode, out } = await report(here.file(`names-${next}-taken.json`, records));
      expect(exitCode).toBe(0);
      const made = JSON.parse(readFileSync(join(out, 'quarterly-report-2024-Q2.json'), 'utf8'));
      return [made.total_cves_discovered, made.remediation_metrics.still_pending];
    };
    expect(await counts(exported)).toEqual([1, 1]);
    expect(await counts(goesOn)).toEqual([1, 1]);
    expect(await counts(aside)).toEqual([1, 1]);
  });

  test('a report of a later quarter has beside it the one that goes on with what it sets aside', async () => {
    await open([trivy(10, KETTLE, CVE)], sbom(10, KETTLE));
    await open([grype(10, KETTLE, [ADVISORY])], sbom(10, KETTLE));
    await open([grype(11, KETTLE, [ADVISORY, CVE])], sbom(11, KETTLE));
    await here.document(...closing(CVE, [grype(20, MENDED), trivy(20, MENDED)], sbom(20, MENDED)));
    for (const period of ['2024-Q2', '2024-Q3']) {
      const { exitCode, verified } = await report(undefined, period);
      expect([period, exitCode, verified.differences]).toEqual([period, 0, []]);
    }
  });

  test('three names in a chain through three scans are one record, in whatever order they are read', async () => {
    const [EUVD, GCVE] = ['EUVD-2024-4100', 'GCVE-0-2024-41002'];
    const links = [
      () => trivy(10, KETTLE, EUVD),
      () => grype(10, KETTLE, [ADVISORY, EUVD]),
      () => trivy(12, KETTLE, GCVE),
    ];
    const meeting = () => grype(13, KETTLE, [ADVISORY, GCVE]);
    const orders = [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ];
    for (const order of orders) {
      database = join(here.folder, `names-chain-${next++}.db`);
      for (const link of order) await open([links[link]!()], sbom(10, KETTLE));
      await open([meeting()], sbom(10, KETTLE));
      expect(await openNamed(EUVD)).toMatchObject([{ cve: CVE, aliases: [ADVISORY, EUVD].sort() }]);
      expect(await list('--open')).toHaveLength(1);
    }
  });

  test('a name that only the scans of the closing know keeps the record open', async () => {
    const bom = sbom(10, KETTLE);
    await open([grype(10, KETTLE, [CVE])], bom);
    await open([trivy(10, KETTLE, ADVISORY)], bom);
    const newer = sbom(20, MENDED);
    const other = { name: 'kettle-lid', version: '1.0.0' };
    const tells = grype(20, other, [ADVISORY, CVE]);
    const codes = await codesOf(closing(CVE, [tells], newer));
    expect(codes).toContain('remediation.scanner_missing');
  });
});

describe('one version in two spellings', () => {
  /** By type: as grype, and as trivy or an SBOM may write it. */
  const SPELLINGS: ReadonlyArray<readonly [one: string, other: string]> = [
    ['pkg:golang/lid.example/kettle@v0.10.0', 'pkg:golang/lid.example/kettle@0.10.0'],
    ['pkg:golang/lid.example/kettle@v2.0.0%2Bincompatible', 'pkg:golang/lid.example/kettle@2.0.0'],
    ['pkg:pypi/kettle-lid.hot@1.0', 'pkg:pypi/Kettle_Lid-Hot@1.0.0'],
    ['pkg:npm/%40Teapot/kettle@1.0.0', 'pkg:npm/@teapot/kettle@v1.0.0'],
    ['pkg:NuGet/Kettle.Lid@1.0', 'pkg:nuget/kettle.lid@1.0.0.0'],
    ['pkg:maven/org.kettle/lid@1.0', 'pkg:maven/org.kettle/lid@1.0.0-ga'],
    ['pkg:gem/kettle@1.0', 'pkg:gem/kettle@1.0.0'],
    ['pkg:cargo/kettle@1.0.0', 'pkg:cargo/kettle@1.0.0%2Bbuild.7'],
    ['pkg:deb/debian/kettle@1.0-1', 'pkg:deb/debian/kettle@0:1.0-1'],
    ['pkg:deb/debian/kettle@2:1.0-1', 'pkg:deb/debian/kettle@1.0-1?epoch=2'],
  ];
  const versionOf = (purl: string) => decodeURIComponent(/@([^@?#]+)(?:[?#]|$)/.exec(purl)![1]!);
  const listed = (purl: string, scanner: string) =>
    here.file(`names-${next++}-${scanner}.json`, [
      {
        id: QUIET,
        severity: 'high',
        component: { name: 'kettle', version: versionOf(purl), purl },
        reportedBy: [{ scanner, id: QUIET }],
      },
    ]);
  const statement = (purl: string) =>
    here.file(`names-${next++}.openvex.json`, {
      '@context': 'https://openvex.dev/ns/v0.2.0',
      '@id': `https://vex.example/${next}`,
      author: 'PSIRT',
      timestamp: '2024-05-12T00:00:00Z',
      version: 1,
      statements: [
        {
          vulnerability: { name: QUIET, aliases: [ADVISORY] },
          products: [{ '@id': purl }],
          status: 'not_affected',
          justification: 'vulnerable_code_not_in_execute_path',
        },
      ],
    });

  test.each(SPELLINGS)('is one component for scans and for statements: %s and %s', async (one, other) => {
    const scans = [listed(one, 'grype'), listed(other, 'trivy')];
    for (const vex of [statement(one), statement(other)]) {
      for (const some of [[scans[0]!], [scans[1]!], scans, scans.toReversed()]) {
        const { findings, suppressed_count } = await here.document('vex', 'apply', vex, ...scansOf(some));
        expect([findings.length, suppressed_count]).toEqual([1, 1]);
      }
    }
  });

  test('of two statements of one time the one that suppresses least counts, in whatever order', async () => {
    const purl = 'pkg:npm/kettle@1.0.0';
    const scans = scansOf([listed(purl, 'grype')]);
    const NOT_AFFECTED = { status: 'not_affected', justification: 'vulnerable_code_not_in_execute_path' };
    const OTHERS = [{ status: 'affected', action_statement: 'update' }, { status: 'under_investigation' }];
    const file = (...said: object[]) =>
      here.file(`names-${next++}.openvex.json`, {
        '@context': 'https://openvex.dev/ns/v0.2.0',
        '@id': `https://vex.example/${next}`,
        author: 'PSIRT',
        timestamp: '2024-05-12T00:00:00Z',
        version: 1,
        statements: said.map((one) => ({ vulnerability: { name: QUIET }, products: [{ '@id': purl }], ...one })),
      });
    for (const other of OTHERS) {
      const [yes, no] = [file(NOT_AFFECTED), file(other)];
      for (const files of [[yes, no], [no, yes], [file(NOT_AFFECTED, other)], [file(other, NOT_AFFECTED)]]) {
        const { findings, suppressed_count } = await here.document('vex', 'apply', ...files, ...scans);
        expect([findings[0].status, suppressed_count]).toEqual([other.status, 0]);
      }
    }
  });

  /** As grype, trivy and others write builds of one package. */
  const BUILDS: ReadonlyArray<readonly [pack: string, one: string, other: string]> = [
    ['pkg:deb/debian/kettle@1.0-1', '?arch=amd64', '?arch=arm64'],
    ['pkg:deb/debian/kettle@1.0-1', '?distro=debian-12.5', '?distro=debian-12.6'],
    ['pkg:rpm/redhat/kettle@1.0-1', '?distro=rhel-9.2', '?distro=rhel-9.4'],
    ['pkg:rpm/redhat/kettle@1.0-1', '?modularitylabel=kettle:1', '?modularitylabel=kettle:2'],
    ['pkg:conda/kettle@1.0', '?build=py36&subdir=linux-64', '?build=py36&subdir=win-64'],
    ['pkg:pypi/kettle@1.0', '?file_name=kettle-cp39-linux.whl', '?file_name=kettle-cp39-win.whl'],
    ['pkg:golang/lid.example/kettle@v1.0.0', '#cmd/a', '#cmd/b'],
    ['pkg:generic/kettle@1.0', '?checksum=sha256:aa', '?checksum=sha256:bb'],
    ['pkg:nuget/kettle@1.0', '?%61rch=amd64', '?%61rch=arm64'],
  ];

  test.each(BUILDS)(
    'a statement on one build of %s%s says nothing of %s, and one on the package covers all',
    async (pack, ...ends) => {
      const builds = ends.map((end) => `${pack}${end}`);
      const [one = '', other = ''] = builds;
      const both = here.file(
        `names-${next++}-both.json`,
        builds.map((purl) => ({
          ...{ id: QUIET, severity: 'high', component: { name: 'kettle', version: pack.split('@')[1], purl } },
          reportedBy: [{ scanner: 'grype', id: QUIET }],
        })),
      );
      const suppressed = async (said: string, ...scans: string[]) => {
        const { suppressed_count, findings } = await here.document('vex', 'apply', statement(said), ...scansOf(scans));
        return [suppressed_count, findings.length];
      };
      for (const scans of [
        [both],
        [listed(one, 'grype'), listed(other, 'trivy')],
        [listed(other, 'a'), listed(one, 'b')],
        [listed(one, 'a'), listed(other, 'b'), listed(one, 'c')],
      ]) {
        for (const order of [scans, scans.toReversed()]) {
          for (const said of builds) {
            const [count, all] = await suppressed(said, ...order);
            expect([said, order.length, count < all]).toEqual([said, order.length, true]);
          }
          const [count, all] = await suppressed(pack, ...order);
          expect(count).toBe(all);
        }
      }
    },
  );

  test('a statement on one CVE of an advisory says nothing of the other one', async () => {
    const vex = statement(purlOf(KETTLE));
    const scan = grype(10, KETTLE, [ADVISORY, QUIET, EXPLOITED]);
    const { findings } = await here.document('vex', 'apply', vex, '--scan', scan);
    const told = findings.map((one: { vulnerability: string; suppressed: boolean }) => [
      one.vulnerability,
      one.suppressed,
    ]);
    expect(told).toEqual([
      [QUIET, true],
      [EXPLOITED, false],
    ]);
  });
});
