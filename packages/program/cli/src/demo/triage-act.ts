import { writeFile } from 'node:fs/promises';
import { EXIT } from '../exit-code/exit-code.ts';
import { checkoutSbom, grypeOutput, KNOWN_EXPLOITED, osvScannerOutput, type Release } from './checkout-service.ts';
import type { Scene } from './scene.ts';

const MINUTE_MS = 60_000;
const OWNER = 'alice@example.com';

/**
 * A vulnerability on its way: from two scanners' recorded outputs to a record that only a newer SBOM's scan or a signed
 * statement closes, and to the signed report of the quarter.
 */
export async function playTriage({ stage, issuer }: Scene): Promise<void> {
  const byOwner = ['--certificate-identity', `reviewer:${OWNER}`, '--certificate-oidc-issuer', issuer];
  const now = Date.now();
  const ago = (minutes: number) => new Date(now - minutes * MINUTE_MS).toISOString();
  const first: Release = {
    version: '1.0.0',
    log4j: '2.14.1',
    madeAt: ago(30),
    serialNumber: '6f2a9f0e-5f0c-4b7a-9c57-0a8d3f3b8c11',
  };
  const patched: Release = {
    version: '1.0.1',
    log4j: '2.16.0',
    madeAt: ago(10),
    serialNumber: 'b3c1d7a4-1f53-4c0e-8f0e-7d9a2e6c4f22',
  };
  await writeJson('known-exploited.json', KNOWN_EXPLOITED);
  stage.chapter('Findings of scanners, and their remediation');

  stage.step('Two scanners name the same vulnerability differently; the import lists it once');
  await writeRelease(first);
  const scanned = ['grype-1.0.0.json', 'osv-1.0.0.json'];
  await stage.show(['scan', 'import', ...scanned, '--sbom', 'checkout-1.0.0.cdx.json']);

  stage.step('Known-exploited vulnerabilities come first, with their due time');
  await stage.run(['kev', 'update', '--kev', 'known-exploited.json']);
  await stage.show(['kev', 'enrich', ...scanned.slice(0, 1)]);

  stage.step('Each finding becomes a record with an owner');
  const sbom = ['--sbom', 'checkout-1.0.0.cdx.json'];
  await stage.show([
    ...['remediation', 'open', '--scan', 'grype-1.0.0.json', ...sbom],
    ...['--owner', OWNER, '--tracking-id', 'SEC-1041'],
  ]);

  stage.step('Closing it with the scan that found it is refused');
  await stage.refuse(
    [
      ...['remediation', 'close', 'CVE-2021-44228', '--scan', 'grype-1.0.0.json', ...sbom],
      ...['--deployed-on', ago(0), '--reviewer', OWNER],
    ],
    { code: 'remediation.still_listed', exitCode: EXIT.refused },
  );

  stage.step('After the patch, the same scanner no longer lists it in a newer SBOM: closed, and signed');
  await writeRelease(patched);
  await stage.run([
    'remediation',
    'update',
    'CVE-2021-44228',
    '--decision',
    'patch',
    '--status',
    'affected',
    '--by',
    OWNER,
  ]);
  const newer = ['--scan', 'grype-1.0.1.json', '--sbom', 'checkout-1.0.1.cdx.json'];
  await stage.show([
    ...['remediation', 'close', 'CVE-2021-44228', ...newer],
    ...['--deployed-on', ago(0), '--reviewer', OWNER],
  ]);

  stage.step('The other one is present and not exploitable: a person states why in OpenVEX, and signs');
  await stage.run(['remediation', 'open', ...newer]);
  await stage.run([
    ...['vex', 'create', '--vulnerability', 'CVE-2021-45105', '--sbom', 'checkout-1.0.1.cdx.json', '--author', OWNER],
    ...['--subcomponent', 'pkg:maven/org.apache.logging.log4j/log4j-core@2.16.0', '--status', 'not_affected'],
    ...['--justification', 'vulnerable_code_not_in_execute_path', '--out', 'checkout.openvex.json'],
  ]);
  await stage.show(['vex', 'sign', 'checkout.openvex.json', '--reviewer', OWNER]);
  await stage.show([
    ...['remediation', 'close', 'CVE-2021-45105', '--vex', 'checkout.openvex.json', ...byOwner],
    ...['--reviewer', OWNER],
  ]);

  stage.step('The quarterly report is made from the records and signed; an auditor verifies it');
  await stage.run(['report', 'quarterly', '--period', quarterOf(now), '--out', 'report', '--reviewer', OWNER]);
  await stage.show(['report', 'verify', 'report', ...byOwner]);
}

async function writeRelease(release: Release): Promise<void> {
  const { version } = release;
  await writeJson(`checkout-${version}.cdx.json`, checkoutSbom(release));
  await writeJson(`grype-${version}.json`, grypeOutput(release));
  await writeJson(`osv-${version}.json`, osvScannerOutput(release));
}

function writeJson(file: string, value: object): Promise<void> {
  return writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

function quarterOf(time: number): string {
  const date = new Date(time);
  return `${date.getUTCFullYear()}-Q${Math.floor(date.getUTCMonth() / 3) + 1}`;
}
