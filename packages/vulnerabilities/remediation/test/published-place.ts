import { openTarget, publish } from '@colophon/publishing';
import type { ScannerRequest, ScannerRun } from '@colophon/scanners';
import { temporaryFolder } from '@colophon/testkit';
import { onTestFinished } from 'vitest';

const encoder = new TextEncoder();

/** An SBOM with one component. */
export function sbomOf(artifact: string, version: string, library: string): Uint8Array {
  const [name, libraryVersion] = library.split('@');
  return encoder.encode(
    JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
      version: 1,
      metadata: { timestamp: '2026-11-20T10:00:00Z', component: { type: 'application', name: artifact, version } },
      components: [{ type: 'library', name, version: libraryVersion, purl: `pkg:npm/${library}` }],
    }),
  );
}

/** A folder in which these are published, as artifact, version and library. */
export async function publishedPlace(...all: ReadonlyArray<readonly [string, string, string]>): Promise<string> {
  const place = temporaryFolder(onTestFinished);
  for (const [artifact, version, library] of all) {
    await publish({
      target: await openTarget(place, { env: {} }),
      artifact,
      version,
      document: sbomOf(artifact, version, library),
      sign: async () => ({ signature: encoder.encode('c2ln'), bundle: encoder.encode('{}') }),
      recognize: () => undefined,
      now: () => new Date('2026-11-20T10:00:00Z'),
    });
  }
  return place;
}

/** What grype would write of an SBOM in which these libraries have these vulnerabilities. */
export function grypeOutput(bom: string, vulnerable: Readonly<Record<string, string>>): Uint8Array {
  const { components } = JSON.parse(bom) as { components: { name: string; version: string; purl: string }[] };
  const matches = components.flatMap(({ name, version, purl }) =>
    (vulnerable[`${name}@${version}`] ?? '')
      .split(' ')
      .filter(Boolean)
      .map((id) => ({
        vulnerability: { id, severity: 'High', cvss: [], fix: { versions: ['9.9.9'], state: 'fixed' } },
        relatedVulnerabilities: [],
        artifact: { name, version, type: 'npm', purl },
      })),
  );
  return encoder.encode(JSON.stringify({ matches, descriptor: { name: 'grype', version: '0.104.0' } }));
}

/** Stands in for grype, with a database of one moment. */
export function scannerWith(vulnerable: Readonly<Record<string, string>>, at = '2026-11-21T12:00:00Z') {
  return async ({ target }: ScannerRequest): Promise<ScannerRun> => {
    if (target.kind !== 'sbom') throw new TypeError('an SBOM');
    const output = grypeOutput(new TextDecoder().decode(target.bytes), vulnerable);
    return { scanner: { name: 'grype', version: '0.104.0', databaseBuiltAt: at }, output, startedAt: at, log: '' };
  };
}
