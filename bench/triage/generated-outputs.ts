import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ECOSYSTEMS = ['npm', 'pypi', 'deb/debian', 'golang/github.com/acme', 'maven/org.example'];
const PACKAGES = 4_000;
const VULNERABILITIES = 25_000;
const WORDS = ['Critical', 'High', 'Medium', 'Low', 'Negligible'];
/** As long as real ones: with it an entry has 1.5 to 2.5 KB. */
const DESCRIPTION =
  'A flaw was found in the way the library parses what it is given. An attacker who can reach the service may send a request that is read out of bounds, which ends the process or lets it say what is in its memory. '.repeat(
    2,
  );

/** One vulnerability in one package, the same in whatever shape it is written. */
type Fact = {
  readonly cve: string;
  readonly ghsa: string;
  readonly vector: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly word: string;
  readonly day: string;
};

/** One of so many facts; those of neighbouring numbers differ in package and vulnerability. */
function fact(number: number): Fact {
  const vulnerability = (number * 7_919) % VULNERABILITIES;
  const pack = (number * 104_729) % PACKAGES;
  const pick = (values: string, salt: number) => values[((vulnerability * 31 + salt * 17) >> 2) % values.length];
  const vector = `CVSS:3.1/AV:${pick('NALP', 1)}/AC:${pick('LH', 2)}/PR:${pick('NLH', 3)}/UI:${pick('NR', 4)}/S:${pick('UC', 5)}/C:${pick('HLN', 6)}/I:${pick('HLN', 7)}/A:${pick('HL', 8)}`;
  const letters = String(10_000 + vulnerability).replace(/(.)(....)/, 'c$1xx-$2');
  const version = `${1 + (pack % 9)}.${(number >> 3) % 20}.${number % 10}`;
  const name = `package-${pack}`;
  return {
    cve: `CVE-${2015 + (vulnerability % 11)}-${10_000 + vulnerability}`,
    ghsa: `GHSA-${letters}-aaaa`,
    vector,
    name,
    version,
    purl: `pkg:${ECOSYSTEMS[pack % ECOSYSTEMS.length]}/${name}@${version}`,
    word: WORDS[vulnerability % WORDS.length] as string,
    day: `20${String(15 + (vulnerability % 11))}-0${1 + (vulnerability % 9)}-1${vulnerability % 10}`,
  };
}

function grypeMatch(one: Fact): object {
  const dataSource = `https://nvd.example.com/vuln/detail/${one.cve}`;
  const cvss = [
    { source: 'nvd@nist.gov', type: 'Primary', version: '3.1', vector: one.vector, metrics: {}, vendorMetadata: {} },
  ];
  return {
    vulnerability: {
      id: one.ghsa,
      dataSource,
      namespace: 'github:language:any',
      severity: one.word,
      urls: [dataSource, `${dataSource}/more`],
      description: DESCRIPTION,
      cvss,
      fix: { versions: ['9.9.9'], state: 'fixed' },
      advisories: [],
      risk: 0.1,
    },
    relatedVulnerabilities: [
      {
        id: one.cve,
        dataSource,
        namespace: 'nvd:cpe',
        severity: one.word,
        urls: [dataSource],
        description: DESCRIPTION,
        cvss,
      },
    ],
    matchDetails: [
      { type: 'exact-direct-match', matcher: 'matcher', searchedBy: { package: { name: one.name } }, found: {} },
    ],
    artifact: {
      id: one.purl,
      name: one.name,
      version: one.version,
      type: 'library',
      locations: [{ path: `/app/node_modules/${one.name}/package.json` }],
      language: 'javascript',
      licenses: ['MIT'],
      cpes: [`cpe:2.3:a:${one.name}:${one.name}:${one.version}:*:*:*:*:*:*:*`],
      purl: one.purl,
      upstreams: [],
    },
  };
}

function trivyVulnerability(one: Fact): object {
  return {
    VulnerabilityID: one.cve,
    VendorIDs: [one.ghsa],
    PkgID: `${one.name}@${one.version}`,
    PkgName: one.name,
    PkgIdentifier: { PURL: `${one.purl}?arch=amd64`, UID: 'b0b7e9c1' },
    InstalledVersion: one.version,
    FixedVersion: '9.9.9, 10.0.0',
    Status: 'fixed',
    Layer: { DiffID: `sha256:${'a'.repeat(64)}` },
    SeveritySource: 'nvd',
    PrimaryURL: `https://avd.example.com/nvd/${one.cve}`,
    DataSource: { ID: 'ghsa', Name: 'GitHub Security Advisory', URL: 'https://advisories.example.com' },
    Title: `${one.name}: something is read out of bounds`,
    Description: DESCRIPTION,
    Severity: one.word.toUpperCase(),
    CweIDs: ['CWE-125'],
    VendorSeverity: { nvd: 3, ghsa: 3, redhat: 2 },
    CVSS: {
      ghsa: { V3Vector: one.vector },
      nvd: { V2Vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P', V3Vector: one.vector, V2Score: 7.5 },
      redhat: { V3Vector: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:H', V3Score: 5.9 },
    },
    References: Array.from({ length: 8 }, (_, index) => `https://references.example.com/${one.cve}/${index}`),
    PublishedDate: `${one.day}T10:15:00Z`,
    LastModifiedDate: `${one.day}T12:00:00Z`,
  };
}

function grypeOutput(facts: readonly Fact[]): object {
  return {
    matches: facts.map(grypeMatch),
    source: { type: 'image', target: { userInput: 'registry.example.com/shop:1' } },
    distro: { name: 'debian', version: '12' },
    descriptor: {
      name: 'grype',
      version: '0.104.0',
      db: { status: { built: '2026-11-20T00:00:00Z' } },
      timestamp: '2026-11-21T00:00:00Z',
    },
  };
}

function trivyOutput(facts: readonly Fact[]): object {
  return {
    SchemaVersion: 2,
    CreatedAt: '2026-11-21T00:00:00Z',
    ArtifactName: 'registry.example.com/shop:1',
    ArtifactType: 'container_image',
    Results: [
      { Target: 'package-lock.json', Class: 'lang-pkgs', Type: 'npm', Vulnerabilities: facts.map(trivyVulnerability) },
    ],
  };
}

/**
 * Writes outputs with `findings` entries in all, `perFile` in each, of grype and trivy in turn. What one of the two
 * reports, the other reports in its next output: half of the entries are the same vulnerability in the same package.
 */
export function writeOutputs(folder: string, findings: number, perFile: number): string[] {
  mkdirSync(folder, { recursive: true });
  const files: string[] = [];
  for (let from = 0; from < findings; from += perFile) {
    const index = from / perFile;
    const first = Math.floor(index / 2) * perFile;
    const facts = Array.from({ length: Math.min(perFile, findings - from) }, (_, at) => fact(first + at));
    const file = join(folder, `${index}.json`);
    writeFileSync(file, JSON.stringify(index % 2 === 0 ? grypeOutput(facts) : trivyOutput(facts)));
    files.push(file);
  }
  return files;
}

/** A catalog of 1,600 entries, some of which the generated outputs have. */
export function generatedCatalog(): object {
  const vulnerabilities = Array.from({ length: 1_600 }, (_, index) => ({
    cveID: fact(index * 13).cve,
    vendorProject: 'Acme',
    product: 'Library',
    vulnerabilityName: 'Out of bounds',
    dateAdded: '2026-01-01',
    shortDescription: 'Something is read out of bounds.',
    requiredAction: 'Apply the update.',
    dueDate: '2026-01-22',
    knownRansomwareCampaignUse: 'Unknown',
    notes: '',
    cwes: [],
  }));
  const distinct = [...new Map(vulnerabilities.map((one) => [one.cveID, one])).values()];
  return {
    title: 'Catalog',
    catalogVersion: '2026.11.20',
    dateReleased: '2026-11-20T00:00:00Z',
    count: distinct.length,
    vulnerabilities: distinct,
  };
}
