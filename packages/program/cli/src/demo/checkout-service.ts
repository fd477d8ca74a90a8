/** A release of the demo's second product: a Java service with one library that everybody knows. */
export type Release = {
  readonly version: string;
  readonly log4j: string;
  /** When its SBOM was made and, a minute later, scanned; RFC 3339. */
  readonly madeAt: string;
  readonly serialNumber: string;
};

type Advisory = {
  readonly cve: string;
  readonly ghsa: string;
  readonly vector: string;
  readonly score: number;
  readonly published: string;
  readonly fixed: string;
  readonly text: string;
};

/** What the recorded scans of the demo know of log4j, in our own words. */
const ADVISORIES: readonly Advisory[] = [
  {
    cve: 'CVE-2021-44228',
    ghsa: 'GHSA-jfh8-c2jp-5v3q',
    vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H',
    score: 10,
    published: '2021-12-10T00:40:56Z',
    fixed: '2.15.0',
    text: 'What is logged can name an address from which code is then loaded and run',
  },
  {
    cve: 'CVE-2021-45105',
    ghsa: 'GHSA-p6xc-xr62-6r2g',
    vector: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:H',
    score: 5.9,
    published: '2021-12-18T18:00:07Z',
    fixed: '2.17.0',
    text: 'A value of the thread context that refers to itself is resolved without end',
  },
];

const LOG4J = 'org.apache.logging.log4j';
const purlOf = ({ log4j }: Release) => `pkg:maven/${LOG4J}/log4j-core@${log4j}`;

/** The release's SBOM. */
export function checkoutSbom(release: Release): object {
  const { version, log4j, madeAt, serialNumber } = release;
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    serialNumber: `urn:uuid:${serialNumber}`,
    version: 1,
    metadata: {
      timestamp: madeAt,
      component: { type: 'application', 'bom-ref': 'checkout', name: 'checkout', version },
    },
    components: [
      {
        type: 'library',
        'bom-ref': 'log4j-core',
        group: LOG4J,
        name: 'log4j-core',
        version: log4j,
        purl: purlOf(release),
      },
    ],
    dependencies: [{ ref: 'checkout', dependsOn: ['log4j-core'] }],
  };
}

/** What grype writes about the release, as far as it matters here. */
export function grypeOutput(release: Release): object {
  return {
    matches: advisoriesOn(release).map(({ cve, ghsa, vector, score, fixed, text }) => ({
      vulnerability: {
        id: ghsa,
        severity: score >= 9 ? 'Critical' : 'Medium',
        description: text,
        cvss: [{ source: 'nvd@nist.gov', version: '3.1', vector, metrics: { baseScore: score } }],
        fix: { versions: [fixed], state: 'fixed' },
      },
      relatedVulnerabilities: [{ id: cve }],
      artifact: { name: 'log4j-core', version: release.log4j, type: 'java-archive', purl: purlOf(release) },
    })),
    source: { type: 'sbom-file', target: `checkout-${release.version}.cdx.json` },
    descriptor: {
      name: 'grype',
      version: '0.120.0',
      timestamp: scannedAt(release),
      db: { status: { built: '2026-11-01T00:00:00Z', valid: true } },
    },
  };
}

/** What osv-scanner writes about it: other names for the same, and when it became known. */
export function osvScannerOutput(release: Release): object {
  const found = advisoriesOn(release);
  return {
    results: [
      {
        source: { path: `checkout-${release.version}.cdx.json`, type: 'sbom' },
        packages: [
          {
            package: { name: `${LOG4J}:log4j-core`, version: release.log4j, ecosystem: 'Maven' },
            vulnerabilities: found.map(({ cve, ghsa, vector, published, text }) => ({
              id: ghsa,
              aliases: [cve],
              summary: text,
              published,
              severity: [{ type: 'CVSS_V3', score: vector }],
            })),
            groups: found.map(({ cve, ghsa, score }) => ({
              ids: [ghsa],
              aliases: [cve, ghsa],
              max_severity: String(score),
            })),
          },
        ],
      },
    ],
  };
}

/** A known-exploited catalog of one entry. */
export const KNOWN_EXPLOITED = {
  catalogVersion: '2026.11.01',
  count: 1,
  vulnerabilities: [
    {
      cveID: 'CVE-2021-44228',
      vendorProject: 'Apache',
      product: 'Log4j2',
      dateAdded: '2021-12-10',
      knownRansomwareCampaignUse: 'Known',
    },
  ],
};

function advisoriesOn({ log4j }: Release): readonly Advisory[] {
  return ADVISORIES.filter(({ fixed }) => fixed.localeCompare(log4j, 'en', { numeric: true }) > 0);
}

function scannedAt({ madeAt }: Release): string {
  return new Date(Date.parse(madeAt) + 60_000).toISOString();
}
