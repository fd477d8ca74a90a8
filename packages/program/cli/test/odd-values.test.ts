import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { changesOf, postgresPrograms, startPostgres, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { runLine } from './command-line.ts';
import { keptRecord } from './report-records.ts';

/** What throws where it is taken for a text. */
const ODD_VALUE = { toString: [] };

/** What a text may hold by an escape of JSON, and no database, no encoding and no canonical JSON takes. */
const NO_TEXT = 'a\ud800b\0c';

type Kind = {
  readonly file: string;
  readonly document: unknown;
  /** Command lines in which FILE is the document, and FOLDER the folder that it lies in. */
  readonly lines: readonly string[];
};

const LIBRARY = {
  type: 'library',
  'bom-ref': 'left-pad@1.3.0',
  group: 'acme',
  name: 'left-pad',
  version: '1.3.0',
  purl: 'pkg:npm/acme/left-pad@1.3.0',
  hashes: [{ alg: 'SHA-256', content: 'a'.repeat(64) }],
  licenses: [{ license: { name: 'MIT' } }, { license: { id: 'MIT' } }],
  properties: [{ name: 'vendor:source-package', value: 'right-pad@1.0.0' }],
  externalReferences: [{ type: 'vcs', url: 'https://example.com/left-pad' }],
  pedigree: { ancestors: [{ type: 'library', name: 'right-pad', version: '1.0.0' }] },
};

const SBOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 1,
  metadata: {
    timestamp: '2026-11-01T00:00:00Z',
    tools: { components: [{ type: 'application', name: 'maker', version: '1' }] },
    component: { type: 'application', 'bom-ref': 'shop', name: 'shop', version: '1.0.0' },
  },
  components: [LIBRARY],
  dependencies: [{ ref: 'shop', dependsOn: ['left-pad@1.3.0'] }],
  compositions: [{ aggregate: 'complete', assemblies: ['shop'] }],
  vulnerabilities: [{ id: 'CVE-2026-1000', analysis: { state: 'resolved' }, affects: [{ ref: 'left-pad@1.3.0' }] }],
};

const OPEN =
  'remediation open --scan FILE --product-name shop --owner d@example.com --tracking-id S-1 --database FOLDER/r.db';
const SCAN_LINES = ['scan import FILE', OPEN];

const KINDS: readonly Kind[] = [
  {
    file: 'sbom.json',
    document: SBOM,
    lines: [
      'sbom validate FILE --for dependency-track',
      'sbom licenses FILE --allow MIT',
      'scan import FILE',
      'vex validate FILE',
    ],
  },
  {
    file: 'grype.json',
    document: {
      descriptor: { name: 'grype', version: '0.90.0', timestamp: '2026-11-01T00:00:00Z' },
      source: { type: 'image', target: { userInput: 'shop:1' } },
      distro: { name: 'debian', version: '12' },
      matches: [
        {
          vulnerability: {
            id: 'CVE-2026-1000',
            severity: 'High',
            fix: { versions: ['1.3.1'], state: 'fixed' },
            cvss: [],
          },
          relatedVulnerabilities: [{ id: 'GHSA-aaaa-bbbb-cccc' }],
          artifact: {
            name: 'left-pad',
            version: '1.3.0',
            purl: 'pkg:npm/left-pad@1.3.0',
            upstreams: [{ name: 'pad' }],
          },
        },
      ],
    },
    lines: SCAN_LINES,
  },
  {
    file: 'osv.json',
    document: {
      results: [
        {
          source: { path: '/package-lock.json', type: 'lockfile' },
          packages: [
            {
              package: { name: 'left-pad', version: '1.3.0', ecosystem: 'npm' },
              groups: [{ ids: ['CVE-2026-1000'], aliases: ['GHSA-aaaa-bbbb-cccc'], max_severity: '7.5' }],
              vulnerabilities: [{ id: 'CVE-2026-1000', aliases: ['GHSA-aaaa-bbbb-cccc'], affected: [{ ranges: [] }] }],
            },
          ],
        },
      ],
    },
    lines: SCAN_LINES,
  },
  {
    file: 'govulncheck.json',
    document: {
      Calls: {},
      Requires: { Modules: { 7: { Path: 'example.com/a', Version: 'v1.0.0' } } },
      Vulns: [{ OSV: { id: 'GO-2026-1', aliases: [] }, ModPath: 'example.com/a', RequireSink: 7, CallSink: 0 }],
    },
    lines: SCAN_LINES,
  },
  {
    file: 'openvex.json',
    document: {
      '@context': 'https://openvex.dev/ns/v0.2.0',
      '@id': 'https://example.com/vex/1',
      author: 'dana@example.com',
      timestamp: '2026-11-01T00:00:00Z',
      version: 1,
      statements: [
        {
          vulnerability: { name: 'CVE-2026-1000', aliases: ['GHSA-aaaa-bbbb-cccc'] },
          products: [{ '@id': 'pkg:npm/shop@1.0.0', subcomponents: [{ '@id': 'pkg:npm/left-pad@1.3.0' }] }],
          status: 'not_affected',
          justification: 'component_not_present',
        },
      ],
    },
    lines: ['vex validate FILE', 'scan import FILE', 'vex convert FILE --to csaf'],
  },
  {
    file: 'csaf.json',
    document: {
      document: {
        category: 'csaf_vex',
        csaf_version: '2.0',
        title: 'left-pad',
        publisher: { category: 'vendor', name: 'Acme', namespace: 'https://example.com' },
        tracking: { id: 'A-1', status: 'final', version: '1', initial_release_date: '2026-11-01T00:00:00Z' },
      },
      product_tree: { full_product_names: [{ product_id: 'P', name: 'shop' }] },
      vulnerabilities: [{ cve: 'CVE-2026-1000', product_status: { fixed: ['P'] } }],
    },
    lines: ['vex validate FILE', 'scan import FILE'],
  },
  {
    file: 'known-exploited.json',
    document: {
      catalogVersion: '2026.11.01',
      dateReleased: '2026-11-01T00:00:00Z',
      count: 1,
      vulnerabilities: [
        { cveID: 'CVE-2026-1000', vendorProject: 'Acme', product: 'left-pad', dateAdded: '2026-11-01' },
      ],
    },
    lines: ['kev update --kev FILE --data FOLDER'],
  },
  {
    file: 'package-lock.json',
    document: {
      name: 'shop',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'shop', version: '1.0.0', dependencies: { 'left-pad': '^1.3.0' }, workspaces: ['parts/*'] },
        'node_modules/left-pad': {
          version: '1.3.0',
          resolved: 'https://registry.example/left-pad/-/left-pad-1.3.0.tgz',
          integrity: 'sha512-YQ==',
          license: 'MIT',
          peerDependenciesMeta: { pad: { optional: true } },
        },
      },
    },
    lines: ['sbom create FOLDER --generator lockfile'],
  },
  {
    file: 'npm-shrinkwrap.json',
    document: {
      name: 'shop',
      version: '1.0.0',
      lockfileVersion: 1,
      dependencies: {
        'left-pad': { version: '1.3.0', requires: { pad: '1' }, dependencies: { pad: { version: '1.0.0' } } },
      },
    },
    lines: ['sbom create FOLDER --generator lockfile'],
  },
  {
    // JSON is YAML.
    file: 'pnpm-lock.yaml',
    document: {
      lockfileVersion: '9.0',
      importers: { '.': { dependencies: { 'left-pad': { specifier: '^1.3.0', version: '1.3.0' } } } },
      packages: { 'left-pad@1.3.0': { resolution: { integrity: 'sha512-YQ==' }, engines: { node: '>=4' } } },
      snapshots: { 'left-pad@1.3.0': { dependencies: { pad: '1.0.0' } } },
    },
    lines: ['sbom create FOLDER --generator lockfile'],
  },
  {
    file: 'records.json',
    document: [keptRecord()],
    lines: ['report quarterly --period 2026-Q4 --records FILE --out FOLDER/report --unsigned --force'],
  },
];

const ODD = [
  { what: 'whatever stands for a text', odd: ODD_VALUE },
  { what: 'whatever text that cannot be kept stands', odd: NO_TEXT },
];

test.each(ODD.flatMap((odd) => KINDS.map((kind) => ({ ...odd, ...kind }))))(
  '$what in $file, it is read or refused',
  async ({ odd, file, document, lines }) => {
    const folder = temporaryFolder(onTestFinished);
    const path = join(folder, basename(file));
    const crashed: string[] = [];
    for (const [, change] of changesOf(document)) {
      const changed = change(odd);
      writeFileSync(path, JSON.stringify(changed));
      for (const line of lines) {
        const args = line.replaceAll('FILE', path).replaceAll('FOLDER', folder).split(' ');
        const { stdout, stderr } = await runLine(args, { COLOPHON_HOME: folder });
        const said = `${stdout}${stderr}`;
        if (said.includes('cli.internal')) crashed.push(`${line}: ${JSON.stringify(changed)}: ${said}`);
      }
    }
    expect(crashed).toEqual([]);
  },
);

const ODD_LIBRARY = { ...LIBRARY, 'bom-ref': 'odd', group: undefined, name: NO_TEXT, purl: 'pkg:npm/a%00b@1.3.0' };

const SCAN = {
  descriptor: { name: 'grype', version: '0.90.0', timestamp: '2026-11-01T00:00:00Z' },
  source: { type: 'image', target: { userInput: 'shop:1' } },
  matches: [LIBRARY, ODD_LIBRARY].map(({ name, version, purl }) => ({
    vulnerability: { id: 'CVE-2026-1000', severity: 'High', cvss: [] },
    relatedVulnerabilities: [],
    artifact: { name, version, purl },
  })),
};

async function opensBoth(database: string): Promise<void> {
  const folder = temporaryFolder(onTestFinished);
  const [scan, sbom] = ['scan.json', 'sbom.json'].map((name) => join(folder, name)) as [string, string];
  writeFileSync(scan, JSON.stringify(SCAN));
  writeFileSync(sbom, JSON.stringify({ ...SBOM, components: [LIBRARY, ODD_LIBRARY] }));
  const open = `remediation open --scan ${scan} --sbom ${sbom} --database ${database} --owner d@example.com --tracking-id S-1`;
  const list = `remediation list --database ${database} -o json`;
  const opened = await runLine(open.split(' '), { COLOPHON_HOME: folder });
  expect(opened.exitCode, opened.stderr).toBe(0);
  const listed = await runLine(list.split(' '), { COLOPHON_HOME: folder });
  const components = JSON.parse(listed.stdout).records.map((one: { component: string }) => one.component);
  expect(components.sort()).toEqual(['a\ufffdb\ufffdc', 'left-pad']);
}

test('a name that is no text costs no other finding', () =>
  opensBoth(join(temporaryFolder(onTestFinished), 'records.db')));

const hasPostgres = postgresPrograms() !== undefined;
test.skipIf(!hasPostgres)(
  `a name that is no text costs no other finding in PostgreSQL${hasPostgres ? '' : ' (skipped: apt-get install postgresql)'}`,
  async () => {
    const postgres = await startPostgres(onTestFinished);
    await opensBoth(postgres.createDatabase('odd'));
  },
);
