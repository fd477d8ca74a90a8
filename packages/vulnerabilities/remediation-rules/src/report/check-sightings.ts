import { decidePriority } from '@colophon/findings';
import { formatInstant, parseInstant } from '@colophon/notation';
import type { Finding, RecordedScan, RemediationRecord, ScanRecord, Sighting } from '@colophon/records';
import { REMEDIATION_PRIORITIES, SEVERITIES, type Severity } from '@colophon/records';
import { evidenceOf } from '../remediation/record-evidence.ts';
import { isOfRecord } from '../remediation/record-index.ts';
import { isScanner, type KeptScan, seenBy, sightingsOf } from '../remediation/sighting.ts';
import { isOtherCve } from '../remediation/vulnerability-names.ts';
import { differencesOf } from './report-difference.ts';
import type { ReportDifference } from './report-difference-result.ts';

/** The scans that a record rests on, by digest; undefined for what is not there or cannot be read. */
export type SightedScans = { scan(digest: string): KeptScan | undefined };

type Claim = readonly [expected: string, found: string];

/**
 * Where an open or closed record says other things of the scans that found it than these do: who listed it when, in
 * which versions and how badly; and where its discovery or urgency does not follow from that.
 */
export function sightingDifferences(record: RemediationRecord, documents: SightedScans): ReportDifference[] {
  const claims = [
    ...sightingClaims(record, documents),
    ...discoveryClaims(record, documents),
    ...urgencyClaims(record),
  ];
  return claims.map(([expected, found]) => {
    return { code: 'report.sighting_differs', path: nameOf(record), expected, found };
  });
}

/** The scan from which a record was opened is the first that it rests on. */
function* discoveryClaims(record: RemediationRecord, documents: SightedScans): Generator<Claim> {
  const [first] = evidenceOf(record, 'scan');
  const scan = first === undefined ? undefined : documents.scan(first);
  const scannedAt = scan?.record.scannedAt;
  if (scan === undefined || scannedAt === undefined || listedIn(record, scan.record).length === 0) return;
  if (parseInstant(record.discovered_at)! <= parseInstant(scannedAt)!) return;
  yield [`discovered at ${scannedAt}, when ${scan.name} listed it`, record.discovered_at];
}

/** Scores are learned from the newest scans, and make a record no less urgent than they say. */
function* urgencyClaims(record: RemediationRecord): Generator<Claim> {
  const { severity, cvss_score, cisa_kev, remediation_priority, sightings } = record;
  if (sightings.length === 0) return;
  const seen = seenBy(sightings, record.purl);
  if (isMilder({ severity, cvss_score }, seen)) yield [badly(seen), badly(record)];
  const decided = decidePriority({ severity, score: cvss_score ?? undefined, isExploited: cisa_kev });
  if (REMEDIATION_PRIORITIES.indexOf(remediation_priority) > REMEDIATION_PRIORITIES.indexOf(decided)) {
    yield [`the priority ${decided}`, remediation_priority];
  }
}

type Badness = { readonly severity: Severity; readonly cvss_score: number | null };

function isMilder(said: Badness, shown: Badness): boolean {
  return (
    SEVERITIES.indexOf(said.severity) > SEVERITIES.indexOf(shown.severity) ||
    (said.cvss_score ?? -1) < (shown.cvss_score ?? -1)
  );
}

function badly({ severity, cvss_score }: Badness): string {
  return cvss_score === null ? severity : `${severity}, ${cvss_score}`;
}

/** What a scan lists of the record, under any of its names. */
function listedIn(record: RemediationRecord, scan: ScanRecord): readonly Finding[] {
  const byName = BY_NAME.get(scan) ?? findingsByName(scan);
  BY_NAME.set(scan, byName);
  const named = new Set([record.cve, ...record.aliases].flatMap((name) => byName.get(name) ?? []));
  return [...named].filter((one) => !isOtherCve(one.id, record.cve) && isOfRecord(record, one.component));
}

/** A report may have as many records as a scan has findings. */
const BY_NAME = new WeakMap<ScanRecord, ReadonlyMap<string, readonly Finding[]>>();

function findingsByName({ findings }: ScanRecord): ReadonlyMap<string, readonly Finding[]> {
  const byName = new Map<string, Finding[]>();
  for (const finding of findings) {
    for (const name of new Set([finding.id, ...finding.aliases])) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [finding]);
      else known.push(finding);
    }
  }
  return byName;
}

/** Where a record says other things of the scans that found it than these do, or leaves a scanner out. */
function* sightingClaims(record: RemediationRecord, documents: SightedScans): Generator<Claim> {
  const scans = new Set(evidenceOf(record, 'scan'));
  for (const { scan } of record.sightings) scans.add(scan);
  for (const digest of scans) {
    const scan = documents.scan(digest);
    if (scan === undefined) continue;
    const findings = listedIn(record, scan.record);
    const listed = findings.length === 0 ? [] : sightingsOf(findings, scan);
    for (const one of listed) {
      const said = record.sightings.find(({ scanner }) => scanner === one.scanner);
      if (said === undefined && isScanner(one.scanner)) yield [`a sighting by ${one.scanner}`, 'none'];
      const other = said?.scan === digest ? otherSighting(said, one) : '';
      if (other !== '') yield [`what ${scan.name} says`, other];
      const shown = said?.scan === digest ? ownSighting(record, findings, scan, one.scanner) : undefined;
      if (said !== undefined && shown !== undefined && isMilder(said, shown)) {
        yield [`${badly(shown)} in ${scan.name}`, badly(said)];
      }
    }
    const silent = record.sightings.find(
      (said) => said.scan === digest && !listed.some((one) => one.scanner === said.scanner),
    );
    if (silent !== undefined) yield [`${record.cve} listed by ${silent.scanner} in ${scan.name}`, 'not listed there'];
  }
}

/** How badly a scanner lists just this vulnerability: another name may be one that was learned later. */
function ownSighting(
  { cve }: RemediationRecord,
  findings: readonly Finding[],
  scan: KeptScan,
  scanner: string,
): Sighting | undefined {
  const own = findings.filter(({ id }) => id === cve);
  return own.length === 0 ? undefined : sightingsOf(own, scan).find((one) => one.scanner === scanner);
}

/** Where a record says other things of a scan than the scan does; '' where it does not. */
export function otherWords(claimed: unknown, shown: unknown): string {
  return differencesOf(asInstants(shown), asInstants(claimed), 'report.note_differs')
    .map(({ path, expected, found }) => `${path} ${found} where it is ${expected}`)
    .join(', ');
}

/** The same with every time in one form. */
function asInstants(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) => {
    const instant = typeof member === 'string' ? parseInstant(member) : undefined;
    return instant === undefined ? member : formatInstant(instant);
  });
}

/** A sighting may hold more versions than one scan: one run of a scanner may be written down in several parts. */
function otherSighting(said: Sighting, shown: Sighting): string {
  const missing = shown.versions.filter((version) => !said.versions.includes(version));
  return [
    otherWords(claimsOf(said), claimsOf(shown)),
    ...(missing.length === 0 ? [] : [`no version ${missing.join(', ')}`]),
  ]
    .filter((words) => words !== '')
    .join(', ');
}

function claimsOf({ scanner, scanner_version, database_built_at, scanned_at, scan, sbom }: Sighting): RecordedScan {
  return { scanner, scanner_version, database_built_at, scanned_at, scan, sbom };
}

/** How a difference calls a record. */
export function nameOf({ id, cve, component, product }: RemediationRecord): string {
  return `record ${id} (${cve} in ${component} of ${product})`;
}
