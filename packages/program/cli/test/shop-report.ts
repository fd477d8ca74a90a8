import { createHash } from 'node:crypto';
import type { EvidenceReference, Finding, RemediationRecord, ScanRecord, Severity, Sighting } from '@colophon/records';
import { closeRecord, DEFAULT_REMEDIATION_POLICY, type KeptScan } from '@colophon/remediation-rules';
import { readVexDocument } from '@colophon/vex';
import { keptRecord } from './report-records.ts';

export const digestOf = (bytes: string | Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

type Part = { readonly name: string; readonly version: string };
const LEFT_PAD: Part = { name: 'left-pad', version: '1.3.0' };
const PARSER = (version: string): Part => ({ name: 'parser', version });
const purlOf = ({ name, version }: Part) => `pkg:npm/${name}@${version}`;

/** A build of the shop on a day of October 2026, at 07:00. */
function sbom(day: string, parts: readonly Part[]): string {
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:00000000-0000-4000-8000-0000000000${day}`,
    version: 1,
    metadata: { timestamp: `2026-10-${day}T07:00:00Z`, component: { type: 'application', name: 'shop' } },
    components: parts.map((part) => ({ type: 'library', ...part, purl: purlOf(part) })),
  });
}

/** What one line of a scan says. */
export type Listed = Part & { readonly cve: string; readonly severity?: Severity; readonly suppressed?: string };

const SCORES: Readonly<Record<string, number>> = { critical: 9.8, high: 7.5, medium: 6.1 };

function findingOf({ cve, severity = 'high', suppressed, ...part }: Listed): Finding {
  const silent = suppressed === undefined ? {} : { suppressed };
  return {
    id: cve,
    severity,
    cvss: { score: SCORES[severity]! },
    component: { ...part, purl: purlOf(part) },
    fixedInVersions: part.name === 'parser' ? ['1.1.0'] : [],
    description: '',
    aliases: [],
    reportedBy: [{ scanner: 'grype', id: cve, ...silent }],
    ...silent,
  };
}

/** A scan of such a build as it is kept, at 08:00. */
export function scan(day: string, ofSbom: string, listed: readonly Listed[]): string {
  const record: ScanRecord = {
    format: 'colophon-scan/v1',
    scanner: { name: 'grype', version: '0.100.0', databaseBuiltAt: `2026-10-${day}T01:00:00Z` },
    scannedAt: `2026-10-${day}T08:00:00Z`,
    sbom: scannedSbom(day, ofSbom),
    source: { name: 'grype.json', digest: digestOf(`grype ${day}`) },
    findings: listed.map(findingOf),
    unread: [],
  };
  return JSON.stringify(record);
}

function scannedSbom(day: string, bytes: string) {
  const { serialNumber } = JSON.parse(bytes) as { serialNumber: string };
  const timestamp = `2026-10-${day}T07:00:00Z`;
  return { digest: digestOf(bytes), serialNumber, version: 1, timestamp, artifact: 'shop' };
}

const OLD = sbom('05', [LEFT_PAD, PARSER('1.0.0')]);
const NEW = sbom('06', [LEFT_PAD, PARSER('1.1.0')]);
/** What the first scan of the shop lists. */
export const LISTED: readonly Listed[] = [
  { ...LEFT_PAD, cve: 'CVE-2026-1000' },
  { ...LEFT_PAD, cve: 'CVE-2026-2', severity: 'medium' },
  { ...PARSER('1.0.0'), cve: 'CVE-2021-44228', severity: 'critical' },
];

/** The documents that the records of the shop rest on. */
export const FILES = {
  'scan-2.json': scan('06', NEW, LISTED.slice(0, 2)),
  'scan.json': scan('05', OLD, LISTED),
  'shop-2.cdx.json': NEW,
  'shop.cdx.json': OLD,
  'shop.vex.json': JSON.stringify({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://shop.example/vex/1',
    author: 'dana@example.com',
    timestamp: '2026-10-20T11:00:00Z',
    version: 1,
    statements: [
      {
        vulnerability: { name: 'CVE-2026-2' },
        products: [{ '@id': 'shop', subcomponents: [{ '@id': purlOf(LEFT_PAD) }] }],
        status: 'not_affected',
        justification: 'vulnerable_code_not_in_execute_path',
      },
    ],
  }),
} as const;
export type ShopFile = keyof typeof FILES;

export const KINDS: Readonly<Record<ShopFile, 'sbom' | 'scan' | 'vex'>> = {
  'scan-2.json': 'scan',
  'scan.json': 'scan',
  'shop-2.cdx.json': 'sbom',
  'shop.cdx.json': 'sbom',
  'shop.vex.json': 'vex',
};

/** How a record names one of them. */
export function evidence(name: ShopFile): EvidenceReference {
  return { kind: KINDS[name], digest: digestOf(FILES[name]), name };
}

/** One of the scans as the rules read it. */
function keptScan(name: 'scan.json' | 'scan-2.json'): KeptScan {
  return { record: JSON.parse(FILES[name]) as ScanRecord, digest: digestOf(FILES[name]), name };
}

/** What the first scan says of one of its findings. */
export function sighting({ version, severity = 'high' }: Listed): Sighting {
  const { record, digest } = keptScan('scan.json');
  const { serialNumber, timestamp } = record.sbom!;
  return {
    scanner: 'grype',
    scanner_version: record.scanner.version!,
    database_built_at: record.scanner.databaseBuiltAt!,
    scanned_at: record.scannedAt!,
    scan: digest,
    sbom: {
      digest: record.sbom!.digest,
      serial_number: serialNumber!,
      version: 1,
      timestamp: timestamp!,
      artifact_version: null,
    },
    versions: [version],
    severity,
    cvss_score: SCORES[severity]!,
  };
}

const SCANNED = [evidence('shop.cdx.json'), evidence('scan.json')];

/** The open record of what the first scan lists. */
export function openRecord(listed: Listed, more: Partial<RemediationRecord> = {}): RemediationRecord {
  const { cve, name, version, severity = 'high' } = listed;
  return keptRecord({
    cve,
    component: name,
    current_version: version,
    purl: purlOf(listed),
    severity,
    cvss_score: SCORES[severity]!,
    fixed_in_versions: name === 'parser' ? ['1.1.0'] : [],
    sightings: [sighting(listed)],
    evidence: SCANNED,
    ...more,
  });
}

const closing = { policy: DEFAULT_REMEDIATION_POLICY, others: [], by: 'dana@example.com' };

/** The record of the parser, closed as fixed by the second scan on the day after. */
export function fixedRecord(more: Partial<RemediationRecord> = {}): RemediationRecord {
  const open = openRecord(LISTED[2]!, { cisa_kev: true, remediation_priority: 'critical-exploited', ...more });
  const closed = closeRecord(
    open,
    {
      kind: 'rescan',
      sbom: scannedSbom('06', NEW),
      components: [LEFT_PAD, PARSER('1.1.0')].map((part) => ({ ...part, purl: purlOf(part) })),
      before: [LEFT_PAD, PARSER('1.0.0')].map((part) => ({ ...part, purl: purlOf(part) })),
      scans: [keptScan('scan-2.json')],
      deployed: '2026-10-06T10:00:00Z',
    },
    { ...closing, at: '2026-10-06T20:00:00Z', evidence: [evidence('shop-2.cdx.json'), evidence('scan-2.json')] },
  );
  if (!closed.ok) throw new Error(JSON.stringify(closed.issues));
  return closed.value;
}

/** The record that the VEX document settles. */
export function notAffectedRecord(): RemediationRecord {
  const bytes = Buffer.from(FILES['shop.vex.json']);
  const document = readVexDocument(bytes);
  if (!document.ok) throw new Error(JSON.stringify(document.issues));
  const digest = digestOf(bytes);
  const signer = 'reviewer:dana@example.com';
  const signature = { digest, signer, names: [signer], isPerson: true };
  const closed = closeRecord(
    openRecord(LISTED[1]!, { vex_status: 'under_investigation' }),
    { kind: 'statement', document: document.value, digest, products: [], signature },
    { ...closing, at: '2026-10-20T12:00:00Z', evidence: [evidence('shop.vex.json')] },
  );
  if (!closed.ok) throw new Error(JSON.stringify(closed.issues));
  return closed.value;
}

/** One open, one fixed, one not affected. */
export const RECORDS: readonly RemediationRecord[] = [openRecord(LISTED[0]!), fixedRecord(), notAffectedRecord()];
