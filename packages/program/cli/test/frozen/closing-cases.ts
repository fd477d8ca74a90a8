import type { Finding, FindingComponent, ScanRecord } from '@colophon/records';
import {
  type ClosingProof,
  closeRecord,
  DEFAULT_REMEDIATION_POLICY,
  type KeptScan,
  type RescanProof,
} from '@colophon/remediation-rules';
import { readVexDocument } from '@colophon/vex';
import {
  BY,
  CLOSED_AT,
  digestOf,
  done,
  findingOf,
  NEWER_SBOM,
  openAll,
  proofOf,
  rescanOf,
  sbomOf,
  scanOf,
} from '../../../../vulnerabilities/remediation-rules/test/remediation-story.ts';

/** What was found, and what the build after it may hold instead. */
type Package = { readonly purl: string; readonly version: string; readonly fixed: readonly string[] };

const PACKAGES: Readonly<Record<string, Package>> = {
  maven: { purl: 'pkg:maven/org.apache.logging.log4j/log4j-core', version: '2.14.1', fixed: ['2.12.4', '2.15.0'] },
  npm: { purl: 'pkg:npm/%40acme/parser', version: '1.0.0', fixed: ['1.1.0'] },
  pypi: { purl: 'pkg:pypi/Zope.Interface', version: '5.0', fixed: ['5.0.1'] },
  golang: { purl: 'pkg:golang/github.com/acme/mod', version: 'v1.2.3', fixed: ['1.2.4'] },
  deb: { purl: 'pkg:deb/debian/curl', version: '7.88.1-10', fixed: ['7.88.1-10+deb12u5'] },
  rpm: { purl: 'pkg:rpm/redhat/openssl', version: '3.0.7-2.el9', fixed: ['3.0.7-27.el9'] },
  generic: { purl: 'pkg:generic/thing', version: '1.0', fixed: ['1.1'] },
  unfixed: { purl: 'pkg:npm/left-pad', version: '1.3.0', fixed: [] },
};

const part = (purl: string, version: string): FindingComponent => ({
  name: purl.slice(purl.lastIndexOf('/') + 1),
  version,
  purl: `${purl}@${encodeURIComponent(version)}`,
});

/** What of the package is in the newer SBOM. */
const BUILDS: Readonly<Record<string, (one: Package) => readonly FindingComponent[]>> = {
  'the fix': ({ purl, fixed, version }) => [part(purl, fixed.at(-1) ?? `${version}.9`)],
  'the same version': ({ purl, version }) => [part(purl, version)],
  'the same version, spelled otherwise': ({ purl, version }) => [
    part(purl, version.startsWith('v') ? version.slice(1) : `v${version}`),
  ],
  'an older version': ({ purl }) => [part(purl, '0.0.1')],
  'a version that is none': ({ purl }) => [part(purl, 'latest')],
  'no version': ({ purl }) => [{ name: purl, purl }],
  'the fix and the same version': ({ purl, version, fixed }) => [part(purl, fixed.at(-1) ?? '9'), part(purl, version)],
  nothing: () => [],
  'something else': () => [part('pkg:npm/other', '1.0.0')],
  'the name in capitals': ({ purl, version }) => [part(purl.toUpperCase().replace('PKG', 'pkg'), version)],
  'the name alone': ({ purl, version }) => [{ name: purl.slice(purl.lastIndexOf('/') + 1), version }],
};

const scanner = (more: object) => ({
  scanner: { name: 'grype', version: '0.91.0', databaseBuiltAt: '2026-11-09T00:00:00Z', ...more },
});
const listing = (one: Package, more: Partial<Finding> = {}) =>
  findingOf({ component: part(one.purl, one.fixed.at(-1) ?? one.version), fixedInVersions: one.fixed, ...more });

/** What the scan of the newer SBOM is. */
const SCANS: Readonly<Record<string, (one: Package) => readonly KeptScan[]>> = {
  'silent scan': () => [rescanOf()],
  'no scan': () => [],
  'scan that lists it': (one) => [rescanOf({ findings: [listing(one)] })],
  'scan that lists it by its alias': (one) => [
    rescanOf({ findings: [listing(one, { id: 'GHSA-jfh8-c2jp-5v3q', aliases: [] })] }),
  ],
  'scan that lists it as suppressed': (one) => [rescanOf({ findings: [listing(one, { suppressed: 'VEX' })] })],
  'scan that lists another': (one) => [rescanOf({ findings: [listing(one, { id: 'CVE-2026-9', aliases: [] })] })],
  'scan that lists it elsewhere': () => [
    rescanOf({ findings: [findingOf({ component: part('pkg:npm/other', '1.0.0') })] }),
  ],
  'scan with an older database': () => [rescanOf(scanner({ databaseBuiltAt: '2026-10-01T00:00:00Z' }))],
  'scan with a database of later': () => [rescanOf(scanner({ databaseBuiltAt: '2027-01-01T00:00:00Z' }))],
  'scan without a database': () => [rescanOf({ scanner: { name: 'grype', version: '0.91.0' } })],
  'scan by an older scanner': () => [rescanOf(scanner({ version: '0.10.0' }))],
  'scan by another scanner': () => [rescanOf(scanner({ name: 'trivy' }))],
  'scan of another SBOM': () => [rescanOf({ sbom: sbomOf({ digest: digestOf('e') }) })],
  'scan of the older SBOM': () => [rescanOf({ sbom: sbomOf() })],
  'scan of no SBOM': () => [withoutSbom(rescanOf())],
  'scan before the SBOM': () => [rescanOf({ scannedAt: '2026-11-10T06:00:00Z' })],
  'scan of later': () => [rescanOf({ scannedAt: '2027-01-01T00:00:00Z' })],
  'scan without a time': () => [withoutTime(rescanOf())],
  'scan with an entry that was not read': () => [
    rescanOf({ unread: [{ code: 'scan.entry_invalid', path: '/matches/0', message: 'an entry' } as never] }),
  ],
  'the scan that found it': (one) => [found(one)],
  'two scans, one silent': (one) => [rescanOf(), { ...rescanOf({ findings: [listing(one)] }), digest: digestOf('7') }],
};

const withoutSbom = (scan: KeptScan): KeptScan => {
  const { sbom: _, ...record } = scan.record;
  return { ...scan, record };
};
const withoutTime = (scan: KeptScan): KeptScan => {
  const { scannedAt: _, ...record } = scan.record;
  return { ...scan, record };
};

const found = ({ purl, version, fixed }: Package, more: Partial<ScanRecord> = {}): KeptScan =>
  scanOf({ findings: [findingOf({ component: part(purl, version), fixedInVersions: fixed })], ...more });

/** What the newer SBOM says of itself. */
const SBOMS: Readonly<Record<string, object>> = {
  'of the same time': { timestamp: '2026-11-02T07:00:00Z' },
  'of earlier': { timestamp: '2026-11-01T07:00:00Z' },
  'of later than now': { timestamp: '2026-12-01T07:00:00Z' },
  'without a time': { timestamp: undefined },
  'with the same digest': { digest: digestOf('a') },
  'of another artifact': { artifact: 'checkout' },
  'without an artifact': { artifact: undefined },
  'of the same version of the artifact': { artifactVersion: '1.0.0' },
  'of an older version of the artifact': { artifactVersion: '0.9.0' },
  'with the same serial number and a lower version': { serialNumber: sbomOf().serialNumber, version: 0 },
  'with the same serial number and the same version': { serialNumber: sbomOf().serialNumber, version: 1 },
  'with the same serial number and a higher version': { serialNumber: sbomOf().serialNumber, version: 2 },
};

const DEPLOYED: Readonly<Record<string, Partial<RescanProof>>> = {
  'on no day': { deployed: undefined as never },
  'before it was found': { deployed: '2026-11-01' },
  'before the SBOM': { deployed: '2026-11-09' },
  'at the time of the SBOM': { deployed: '2026-11-10T07:00:00Z' },
  'on the day of the SBOM': { deployed: '2026-11-10' },
  'on the day of closing': { deployed: '2026-11-12' },
  'after the closing': { deployed: '2026-11-13' },
  'at an offset': { deployed: '2026-11-11T23:00:00-05:00' },
  'on no day of the calendar': { deployed: '2026-02-30' },
  'at no time': { deployed: 'yesterday' },
};

const MAVEN = PACKAGES['maven'] as Package;

function recordOf(one: Package) {
  return done(openAll({ scan: found(one) })).opened[0]!;
}

function closed(one: Package, proof: ClosingProof, more: object = {}): string {
  const context = { policy: DEFAULT_REMEDIATION_POLICY, at: CLOSED_AT, by: BY, others: [], evidence: [], ...more };
  const record = { ...recordOf(one), ...('record' in more ? (more.record as object) : {}) };
  const result = closeRecord(record, proof, context);
  if (!result.ok) return `refused ${result.issues.map(({ code }) => code).join(' ')}`;
  const { vex_status, decision, sla_compliance, days_to_remediate, history } = result.value;
  const overrides = (history.at(-1) as { readonly overrides?: readonly string[] }).overrides ?? [];
  return ['closed', vex_status, decision, sla_compliance, days_to_remediate ?? '-', ...overrides].join(' ');
}

const rescan = (one: Package, build: string, scan: string, more: Partial<RescanProof> = {}): RescanProof =>
  proofOf({
    components: BUILDS[build]!(one),
    before: [part(one.purl, one.version)],
    scans: SCANS[scan]!(one),
    ...more,
  });

/** Statements by which a record is closed as not affected. */
const STATEMENTS: Readonly<Record<string, object>> = {
  'not affected': {},
  'not affected, by impact alone': { justification: undefined, impact_statement: 'it is not called' },
  'not affected, without a reason': { justification: undefined },
  'not affected, by an unknown justification': { justification: 'because' },
  affected: { status: 'affected', justification: undefined, action_statement: 'update' },
  fixed: { status: 'fixed', justification: undefined },
  'under investigation': { status: 'under_investigation', justification: undefined },
  'on another vulnerability': { vulnerability: { name: 'CVE-2026-9' } },
  'on the alias': { vulnerability: { name: 'GHSA-jfh8-c2jp-5v3q' } },
  'on another version': { products: [{ '@id': `${MAVEN.purl}@2.14.0` }] },
  'on every version': { products: [{ '@id': MAVEN.purl }] },
  'on the product alone': { products: [{ '@id': 'shop' }] },
  'on another product': { products: [{ '@id': 'checkout', subcomponents: [{ '@id': `${MAVEN.purl}@2.14.1` }] }] },
  'on nothing': { products: [] },
  'dated later': { timestamp: '2026-12-01T00:00:00Z' },
  'dated before it was found': { timestamp: '2026-10-01T00:00:00Z' },
};

const SIGNATURE = { digest: digestOf('e'), signer: `reviewer:${BY}`, names: [`reviewer:${BY}`], isPerson: true };
const SIGNATURES: Readonly<Record<string, object>> = {
  'by a person': { signature: SIGNATURE },
  unsigned: {},
  'by an agent': { signature: { ...SIGNATURE, signer: 'agent:writer', names: ['agent:writer'], isPerson: false } },
  'over other bytes': { signature: { ...SIGNATURE, digest: digestOf('f') } },
};

function statement(name: string): object {
  const bytes = JSON.stringify({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://shop.example/vex/1',
    author: BY,
    timestamp: '2026-11-05T00:00:00Z',
    version: 1,
    statements: [
      {
        vulnerability: { name: 'CVE-2021-44228' },
        products: [{ '@id': 'shop', subcomponents: [{ '@id': `${MAVEN.purl}@2.14.1` }] }],
        status: 'not_affected',
        justification: 'vulnerable_code_not_in_execute_path',
        ...STATEMENTS[name],
      },
    ],
  });
  const read = readVexDocument(Buffer.from(bytes));
  return { kind: 'statement', document: read.ok ? read.value : undefined, digest: digestOf('e'), products: [] };
}

/** Every case with its verdict: what closed a record, or every reason why not. */
export function* closingCases(): Generator<readonly [name: string, verdict: string]> {
  for (const [type, one] of Object.entries(PACKAGES))
    for (const build of Object.keys(BUILDS))
      yield [`${type}: ${build}, silent scan`, closed(one, rescan(one, build, 'silent scan'))];
  for (const build of ['the fix', 'nothing', 'the same version'])
    for (const scan of Object.keys(SCANS)) {
      yield [`${build}, ${scan}`, closed(MAVEN, rescan(MAVEN, build, scan))];
      yield [`${build}, ${scan}, with a reason`, closed(MAVEN, rescan(MAVEN, build, scan), { reason: 'it is out' })];
    }
  for (const [name, more] of Object.entries(SBOMS)) {
    const sbom = { ...NEWER_SBOM, ...more };
    const scans = [rescanOf({ sbom })];
    yield [`SBOM ${name}`, closed(MAVEN, rescan(MAVEN, 'the fix', 'silent scan', { sbom, scans }))];
    const reason = { reason: 'another name' };
    yield [
      `SBOM ${name}, with a reason`,
      closed(MAVEN, rescan(MAVEN, 'the fix', 'silent scan', { sbom, scans }), reason),
    ];
  }
  for (const [name, more] of Object.entries(DEPLOYED))
    yield [`deployed ${name}`, closed(MAVEN, rescan(MAVEN, 'the fix', 'silent scan', more))];
  for (const [name, record] of Object.entries({
    'without an owner': { owner: null },
    'without a tracking id': { tracking_id: null },
    'without sightings': { sightings: [] },
    'already closed': { state: 'closed' },
    'owner in another form': { owner: 'dana' },
  }))
    yield [`record ${name}`, closed(MAVEN, rescan(MAVEN, 'the fix', 'silent scan'), { record })];
  for (const name of Object.keys(STATEMENTS))
    for (const [by, signed] of Object.entries(SIGNATURES)) {
      const proof = { ...statement(name), ...signed } as ClosingProof;
      const verdict = 'document' in proof && proof.document === undefined ? 'unreadable' : closed(MAVEN, proof);
      yield [`statement ${name}, ${by}`, verdict];
    }
}
