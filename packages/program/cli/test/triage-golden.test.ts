import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { type Installation, install } from './installation.ts';
import { DANA_PRIVATE_KEY, DANA_PUBLIC_KEY } from './openpgp-key.ts';
import { withoutVolatile } from './volatile.ts';

// What scripts of triage rely on; golden.test.ts says how the files are written anew.
const cleanup = cleanupAt(afterAll);
let here: Installation;
let env: NodeJS.ProcessEnv;
const at = (name: string) => join(here.folder, name);

const LOG4J = { cveID: 'CVE-2021-44228', vendorProject: 'Apache', product: 'Log4j2', dateAdded: '2021-12-10' };
const CATALOG = {
  catalogVersion: '2024.11.19',
  count: 2,
  vulnerabilities: [
    { ...LOG4J, dueDate: '2021-12-24' },
    { cveID: 'CVE-2021-4043', product: 'GPAC' },
  ],
};
const NEXT = {
  catalogVersion: '2024.11.20',
  dateReleased: '2024-11-20T14:00:00Z',
  count: 2,
  vulnerabilities: [{ ...LOG4J, knownRansomwareCampaignUse: 'Known' }, { cveID: 'CVE-2026-10001' }],
};

const LOG4J_PURL = 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1';
const GRYPE = {
  matches: [
    {
      vulnerability: {
        id: 'GHSA-jfh8-c2jp-5v3q',
        severity: 'Critical',
        cvss: [{ version: '3.1', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', metrics: { baseScore: 10 } }],
        fix: { versions: ['2.15.0'], state: 'fixed' },
        description: 'Remote code execution',
      },
      relatedVulnerabilities: [{ id: 'CVE-2021-44228', cvss: [] }],
      artifact: {
        name: 'log4j-core',
        version: '2.14.1',
        type: 'java-archive',
        purl: LOG4J_PURL,
      },
    },
  ],
  descriptor: { name: 'grype', version: '0.104.0' },
};
/** A scanner that finds what GRYPE says. */
const SCANNER = `
  const said = { version: '{"version":"0.104.0"}', db: '{"built":"2026-11-20T06:00:00Z"}' };
  console.log(said[process.argv[2]] ?? require('node:fs').readFileSync(process.env.FOUND, 'utf8'));`;

beforeAll(async () => {
  here = await install(cleanup);
  env = { ...here.env, PATH: here.folder, FOUND: at('grype.json') };
  here.file('1.json', CATALOG);
  here.file('2.json', NEXT);
  here.file('grype.json', GRYPE);
  here.file('app.cdx.json', { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [] });
  here.file('grype', `#!${process.execPath}\n${SCANNER}`);
  here.file('dana.key', DANA_PRIVATE_KEY);
  here.file('dana.pub', DANA_PUBLIC_KEY);
  chmodSync(at('grype'), 0o755);
  await runLine(['kev', 'update', '--kev', at('1.json')], env);
});
const byDana = () => ['--certificate-identity', 'reviewer:dana@example.com', '--certificate-oidc-issuer', here.url];

// In this order: a later line reads what an earlier one kept.
const LINES: Array<[name: string, line: () => string[]]> = [
  // Of a catalog that says no time of release: its age would grow.
  ['kev-status', () => ['kev', 'status']],
  ['kev-update', () => ['kev', 'update', '--kev', at('2.json')]],
  ['kev-show', () => ['kev', 'show', 'CVE-2021-44228']],
  ['kev-history', () => ['kev', 'history']],
  ['kev-history.vulnerability', () => ['kev', 'history', 'CVE-2021-44228']],
  ['schedule-run', () => ['schedule', 'run', '--once', '--kev', at('2.json')]],
  ['schedule-list', () => ['schedule', 'list']],
  ['scan-run', () => ['scan', 'run', '--image', 'registry.example/shop:1.0']],
  ['scan-import', () => ['scan', 'import', at('grype.json')]],
  ['kev-enrich', () => ['kev', 'enrich', at('grype.json'), '--at', '2024-11-21']],
  ['kev-diff', () => ['kev', 'diff', '2024.11.19', '2024.11.20']],
  [
    'vex-create',
    () => [
      ...['vex', 'create', '--vulnerability', 'CVE-2021-44228', '--status', 'under_investigation'],
      ...['--product', LOG4J_PURL, '--author', 'Dana', '--out', at('app.json')],
    ],
  ],
  ['vex-show', () => ['vex', 'show', at('app.json')]],
  [
    'vex-set',
    () => [
      ...['vex', 'set', at('app.json'), '--vulnerability', 'CVE-2021-44228', '--product', LOG4J_PURL],
      ...['--status', 'not_affected', '--justification', 'vulnerable_code_not_present'],
    ],
  ],
  ['vex-validate', () => ['vex', 'validate', at('app.json')]],
  ['sbom-validate', () => ['sbom', 'validate', at('app.cdx.json')]],
  ['vex-convert', () => ['vex', 'convert', at('app.json'), '--to', 'spec', '--out', at('app.spec.json')]],
  [
    'vex-merge',
    () => ['vex', 'merge', at('app.json'), at('app.spec.json'), '--author', 'Dana', '--out', at('all.json')],
  ],
  [
    'vex-apply',
    () => ['vex', 'apply', at('app.json'), '--scan', at('grype.json'), '--product', 'pkg:oci/shop@sha256%3Aab'],
  ],
  [
    'vex-sign',
    () => ['vex', 'sign', at('app.json'), '--reviewer', 'dana@example.com', '--openpgp-key', at('dana.key')],
  ],
  ['vex-verify', () => ['vex', 'verify', at('app.json'), ...byDana(), '--openpgp-key', at('dana.pub')]],
];

test.each(LINES)('colophon %s --output json is what it was', async (name, line) => {
  const ran = await runLine([...line(), '--output', 'json'], env);
  expect(ran.exitCode).toBe(0);
  const document = withoutVolatile(documentOf(ran), { folder: here.folder, port: new URL(here.url).port });
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.json`);
});
