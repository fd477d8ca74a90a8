import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { type Installation, install } from './installation.ts';
import { grypeOutput, shopSbom } from './shop-scans.ts';
import { withoutVolatile } from './volatile.ts';

// What scripts of remediation and reports rely on; golden.test.ts says how the files are written anew.
const cleanup = cleanupAt(afterAll);
let here: Installation;

const LEFT = { name: 'left-pad', version: '1.0.0' };
const RIGHT = { name: 'right-pad', version: '1.0.0' };
/** The SBOM of a day of May 2024, and what grype says of it. */
function scanned(day: string, version: string, cves: readonly [cve: string, of: typeof LEFT][]): string[] {
  const components = [{ ...LEFT, version }, RIGHT];
  const found = cves.map(([cve, of]) => ({ cve, ...of, fixed: '1.0.1' }));
  const scan = here.file(`scan-${day}.json`, grypeOutput({ day, found }));
  return ['--scan', scan, '--sbom', here.file(`shop-${day}.json`, shopSbom({ day, components }))];
}

beforeAll(async () => {
  here = await install(cleanup);
  here.file('kev.json', { catalogVersion: '2024.05.11', count: 1, vulnerabilities: [{ cveID: 'CVE-2024-0001' }] });
});
const BY = ['--by', 'dana@example.com'];
const BY_DANA = ['--reviewer', 'dana@example.com'];
const byDana = () => ['--certificate-identity', 'reviewer:dana@example.com', '--certificate-oidc-issuer', here.url];

// In this order: a later line reads what an earlier one kept.
const LINES: Array<[name: string, line: () => string[]]> = [
  [
    'remediation-open',
    () => [
      ...['remediation', 'open', '--owner', 'dana@example.com', '--tracking-id', 'SEC-7', ...BY],
      ...scanned('2024-05-10', '1.0.0', [
        ['CVE-2024-0001', LEFT],
        ['CVE-2024-0002', RIGHT],
      ]),
    ],
  ],
  ['remediation-update', () => ['remediation', 'update', 'CVE-2024-0001', '--decision', 'patch', ...BY]],
  ['remediation-escalate', () => ['remediation', 'escalate', '--kev', `${here.folder}/kev.json`]],
  [
    'remediation-close',
    () => [
      ...['remediation', 'close', 'CVE-2024-0001', '--deployed-on', '2024-05-21', ...BY_DANA],
      ...scanned('2024-05-20', '1.0.1', [['CVE-2024-0002', RIGHT]]),
    ],
  ],
  ['remediation-show', () => ['remediation', 'show', 'CVE-2024-0001']],
  ['remediation-verify', () => ['remediation', 'verify', 'CVE-2024-0001', ...byDana()]],
  [
    'remediation-void',
    () => ['remediation', 'void', 'CVE-2024-0002', '--mistake', '--reason', 'a test of the scanner', ...BY_DANA],
  ],
  ['remediation-list', () => ['remediation', 'list']],
  [
    'report-quarterly',
    () => ['report', 'quarterly', '--period', '2024-Q2', '--out', `${here.folder}/report`, ...BY_DANA],
  ],
  ['report-verify', () => ['report', 'verify', `${here.folder}/report`, ...byDana()]],
];

test.each(LINES)('colophon %s --output json is what it was', async (name, line) => {
  const ran = await runLine([...line(), '--output', 'json'], here.env);
  expect(ran.exitCode, ran.stdout).toBe(0);
  const document = withoutVolatile(documentOf(ran), { folder: here.folder, port: new URL(here.url).port });
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.json`);
});
