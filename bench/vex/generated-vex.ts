import type { MatchableFinding } from '@colophon/vex';

/** How a vendor's document and a scan of its product look: the names repeat, the versions do not. */
const PACKAGES = 400;
const VULNERABILITIES = 1_500;
export const PRODUCT = 'pkg:oci/hardened-app?repository_url=registry.example%2Fvendor';

const purl = (index: number) =>
  `pkg:golang/example.com/org-${index % 40}/module-${index % PACKAGES}@v0.${index % 97}.${index % 13}-${(index * 2_654_435_761) % 1_000_003}`;
const cve = (index: number) => `CVE-20${10 + (index % 16)}-${10_000 + (index % VULNERABILITIES)}`;

/** An OpenVEX document with so many statements, as bytes. */
export function generatedVex(statements: number): Uint8Array {
  const document = {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://example.com/vex/hardened-app',
    author: 'a vendor',
    timestamp: '2026-11-01T00:00:00Z',
    version: 1,
    statements: Array.from({ length: statements }, (_, index) => ({
      vulnerability: { name: cve(index), aliases: [`GO-2026-${index % VULNERABILITIES}`] },
      timestamp: `2026-10-${String(1 + (index % 28)).padStart(2, '0')}T00:00:00Z`,
      products: [{ '@id': 'pkg:oci/hardened-app', subcomponents: [{ '@id': purl(index) }] }],
      status: 'not_affected',
      justification: 'vulnerable_code_not_present',
      impact_statement: 'The vulnerable function is not called.',
    })),
  };
  return Buffer.from(JSON.stringify(document));
}

/** Findings of which about every second is spoken of. */
export function generatedFindings(findings: number, statements: number): MatchableFinding[] {
  return Array.from({ length: findings }, (_, index) => ({
    id: cve(index),
    aliases: [],
    component: { name: 'module', purl: purl(index % 2 === 0 ? index % statements : index + statements) },
  }));
}

/** Everything about one vulnerability and one package: what would be slow if each were compared with each. */
export function crowded(findings: number, statements: number): { vex: Uint8Array; findings: MatchableFinding[] } {
  const name = 'CVE-2026-1';
  const said = Array.from({ length: statements }, (_, index) => ({
    vulnerability: { name },
    products: [
      {
        '@id': 'pkg:oci/hardened-app',
        subcomponents: [{ '@id': `pkg:deb/debian/a@${index * 3}?distro=${index % 9}` }],
      },
    ],
    status: 'not_affected',
    justification: 'component_not_present',
  }));
  return {
    vex: Buffer.from(
      JSON.stringify({
        '@context': 'https://openvex.dev/ns/v0.2.0',
        author: 'a',
        timestamp: '2026-11-01T00:00:00Z',
        statements: said,
      }),
    ),
    findings: Array.from({ length: findings }, (_, index) => ({
      id: name,
      aliases: [],
      component: { name: 'a', purl: `pkg:deb/debian/a@${index}?arch=amd64&distro=${index % 7}` },
    })),
  };
}
