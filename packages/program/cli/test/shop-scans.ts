/** A component of the shop; in the SBOM, and where a scanner lists it. */
export type ShopComponent = { readonly name: string; readonly version: string };
/** What a scanner lists; `high` where nothing else is said. */
export type ShopFinding = ShopComponent & { readonly cve: string; readonly severity?: string; readonly fixed?: string };

const purlOf = ({ name, version }: ShopComponent) => `pkg:npm/${name}@${version}`;

/** The SBOM of the build of a day, at 07:00. */
export function shopSbom({
  day,
  components,
  product = 'shop',
}: {
  readonly day: string;
  readonly components: readonly ShopComponent[];
  readonly product?: string;
}): object {
  const serial = day.replaceAll('-', '').padStart(12, '0');
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:00000000-0000-4000-8000-${serial}`,
    version: 1,
    metadata: {
      timestamp: at(day, '07:00:00'),
      component: { type: 'application', 'bom-ref': product, name: product, version: `1.${serial}` },
    },
    components: components.map((one) => ({ type: 'library', 'bom-ref': one.name, ...one, purl: purlOf(one) })),
  };
}

/** What grype says of it on that day; its database is of midnight. */
export function grypeOutput({ day, found }: { readonly day: string; readonly found: readonly ShopFinding[] }): object {
  const db = { status: { built: `${day}T00:00:00Z`, valid: true } };
  return {
    matches: found.map(matchOf),
    source: { type: 'sbom-file' },
    distro: {},
    descriptor: { name: 'grype', version: '0.100.0', timestamp: at(day, '09:00:00'), db },
  };
}

/** That time of the day; of today, when it may still be to come, this very moment. */
function at(day: string, time: string): string {
  const now = new Date().toISOString();
  return now.startsWith(day) ? now : `${day}T${time}Z`;
}

const VECTORS: Readonly<Record<string, readonly [vector: string, score: number]>> = {
  critical: ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
  high: ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', 7.5],
  medium: ['CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
};

function matchOf({ cve, severity = 'high', fixed, ...component }: ShopFinding) {
  const [vector, baseScore] = VECTORS[severity]!;
  return {
    vulnerability: {
      id: cve,
      namespace: 'nvd:cpe',
      severity,
      cvss: [{ version: '3.1', vector, metrics: { baseScore } }],
      fix: { versions: fixed === undefined ? [] : [fixed], state: fixed === undefined ? 'unknown' : 'fixed' },
    },
    relatedVulnerabilities: [],
    matchDetails: [],
    artifact: { ...component, type: 'npm', purl: purlOf(component) },
  };
}
