import { isCve, purlType, statedVersion, withdrawalOf } from '@colophon/findings';
import { parseInstant, versionKey } from '@colophon/notation';
import type {
  Finding,
  RecordedSbom,
  RecordedScan,
  RemediationRecord,
  ScannedSbom,
  ScanRecord,
  Sighting,
} from '@colophon/records';
import { SEVERITIES, type Severity } from '@colophon/records';

/** The scanner of findings that nobody names one for; see the array of contract §2.7. */
const NO_SCANNERS: ReadonlySet<string> = new Set(['findings', 'unknown']);

/** Whether this is the name of a scanner, and not a word for none. */
export function isScanner(name: string): boolean {
  return !NO_SCANNERS.has(name);
}

/** A scan with the digest under which it is kept. */
export type KeptScan = { readonly record: ScanRecord; readonly digest: string; readonly name: string };

export function recordedSbom(sbom: ScannedSbom): RecordedSbom {
  return {
    digest: sbom.digest,
    serial_number: sbom.serialNumber ?? null,
    version: sbom.version ?? null,
    timestamp: sbom.timestamp ?? null,
    artifact_version: sbom.artifactVersion ?? null,
  };
}

export function recordedScan({ record, digest }: KeptScan, scanner: string = record.scanner.name): RecordedScan {
  const isItself = scanner === record.scanner.name;
  return {
    scanner,
    scanner_version: (isItself && record.scanner.version) || null,
    database_built_at: record.scanner.databaseBuiltAt ?? null,
    scanned_at: record.scannedAt ?? null,
    scan: digest,
    sbom: record.sbom === undefined ? null : recordedSbom(record.sbom),
  };
}

/** One for each scanner that lists any of the findings, which are all of one vulnerability in one component. */
export function sightingsOf(findings: readonly Finding[], scan: KeptScan): readonly Sighting[] {
  const byScanner = new Map<string, Finding[]>();
  for (const finding of findings) {
    for (const scanner of scannersOf(finding, scan.record)) {
      const listed = byScanner.get(scanner);
      if (listed === undefined) byScanner.set(scanner, [finding]);
      else listed.push(finding);
    }
  }
  return [...byScanner]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([scanner, listed]) => ({
      ...recordedScan(scan, scanner),
      versions: [...new Set(listed.flatMap(({ component }) => statedVersion(component) ?? []))].sort(),
      severity: worst(listed.map(({ severity }) => severity)),
      cvss_score: highest(listed.map(({ cvss }) => cvss?.score ?? null)),
      ...withdrawnMember(listed, scanner),
      ...exploitedMember(listed, scanner),
      ...listedAsMember(listed),
    }));
}

/** An advisory may have several CVEs, which others may come to know: what was listed under it belongs to each. */
function listedAsMember(listed: readonly Finding[]): Pick<Sighting, 'listed_as'> {
  if (listed.some(({ id }) => isCve(id))) return {};
  return { listed_as: [...new Set(listed.flatMap(({ id, aliases }) => [id, ...aliases]))].sort() };
}

/** One entry that calls it exploited is enough. */
function exploitedMember(listed: readonly Finding[], scanner: string): Pick<Sighting, 'exploited'> {
  const said = listed.flatMap(({ reportedBy }) =>
    reportedBy.flatMap((one) => (one.scanner === scanner && one.exploited !== undefined ? [one.exploited] : [])),
  );
  return said.length === 0 ? {} : { exploited: [...new Set(said.flatMap((one) => one.split('; ')))].sort().join('; ') };
}

/** An advisory is withdrawn where every entry of it says so. */
function withdrawnMember(listed: readonly Finding[], scanner: string): Pick<Sighting, 'withdrawn'> {
  const said = listed.map((finding) => withdrawalOf(finding, scanner));
  const [withdrawn] = said;
  return withdrawn === undefined || said.includes(undefined) ? {} : { withdrawn };
}

/** The scan's own scanner; for findings that were handed on as an array, those that each of them names. */
function scannersOf({ reportedBy }: Finding, { scanner }: ScanRecord): readonly string[] {
  if (isScanner(scanner.name)) return [scanner.name];
  const named = [...new Set(reportedBy.map((report) => report.scanner))];
  return named.length === 0 ? [scanner.name] : named;
}

/**
 * What is known after a scan: for each scanner its newest sighting, by the time of the SBOM, then of the database, then
 * of the scan. Undefined where the scan says nothing new.
 */
export function addSightings(before: readonly Sighting[], seen: readonly Sighting[]): readonly Sighting[] | undefined {
  const byScanner = new Map(before.map((sighting) => [sighting.scanner, sighting]));
  let isNew = false;
  for (const sighting of seen) {
    const known = byScanner.get(sighting.scanner);
    if (known !== undefined && (isOlder(sighting, known) || saysTheSame(sighting, known))) continue;
    byScanner.set(
      sighting.scanner,
      known !== undefined && isSameLook(sighting, known) ? both(known, sighting) : sighting,
    );
    isNew = true;
  }
  return isNew ? [...byScanner.values()].sort((a, b) => (a.scanner < b.scanner ? -1 : 1)) : undefined;
}

/** The same SBOM looked at again, with the same answer: a record of every look would say nothing. */
function saysTheSame(a: Sighting, b: Sighting): boolean {
  return (
    a.sbom?.digest === b.sbom?.digest &&
    (b.database_built_at !== null || a.database_built_at === null) &&
    a.withdrawn === b.withdrawn &&
    isKnownClaim(a, b) &&
    a.listed_as?.join() === b.listed_as?.join() &&
    ((a.severity === b.severity && a.cvss_score === b.cvss_score && a.versions.join() === b.versions.join()) ||
      (isSameLook(a, b) && JSON.stringify(both(b, { ...b, ...listingOf(a) })) === JSON.stringify(b)))
  );
}

/** Whether the one says nothing of exploitation that the other does not. */
function isKnownClaim(a: Sighting, b: Sighting): boolean {
  return a.exploited === b.exploited || (isSameLook(a, b) && claimsOf(a, b).exploited === b.exploited);
}

/** What either of two parts of one run says of exploitation. */
function claimsOf(a: Sighting, b: Sighting): Pick<Sighting, 'exploited'> {
  const said = [a, b].flatMap(({ exploited }) => exploited?.split('; ') ?? []);
  return said.length === 0 ? {} : { exploited: [...new Set(said)].sort().join('; ') };
}

/** One run of a scanner may be written down in several parts, one for each target. */
function isSameLook(a: Sighting, b: Sighting): boolean {
  return (
    a.sbom?.digest === b.sbom?.digest &&
    a.scanned_at !== null &&
    a.scanned_at === b.scanned_at &&
    a.database_built_at === b.database_built_at
  );
}

function listingOf({ versions, severity, cvss_score }: Sighting) {
  return { versions, severity, cvss_score };
}

function both(one: Sighting, other: Sighting): Sighting {
  const { withdrawn, listed_as, ...a } = one;
  const { withdrawn: also, listed_as: alsoAs, ...b } = other;
  return {
    ...b,
    ...claimsOf(one, other),
    ...(withdrawn !== undefined && also !== undefined && { withdrawn }),
    ...(listed_as !== undefined && alsoAs !== undefined && { listed_as: union(listed_as, alsoAs) }),
    versions: union(a.versions, b.versions),
    severity: worst([a.severity, b.severity]),
    cvss_score: highest([a.cvss_score, b.cvss_score]),
  };
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])].sort();
}

function isOlder(a: Sighting, b: Sighting): boolean {
  const times = (one: Sighting) => [one.sbom?.timestamp, one.database_built_at, one.scanned_at].map(instant);
  const [mine, theirs] = [times(a), times(b)];
  const first = mine.findIndex((time, index) => time !== theirs[index]);
  return first !== -1 && mine[first]! < theirs[first]!;
}

type Seen = Pick<RemediationRecord, 'current_version' | 'severity' | 'cvss_score'>;

/**
 * What the sightings say together: the versions of the newest SBOM, each in one spelling; the worst severity, the highest
 * score.
 * @param purl of the component, whose type says how versions are written
 */
export function seenBy(sightings: readonly Sighting[], purl: string | null): Seen {
  const newest = sightings.reduce(
    (last, { sbom }) => Math.max(last, instant(sbom?.timestamp)),
    Number.NEGATIVE_INFINITY,
  );
  const versions = sightings.filter(({ sbom }) => instant(sbom?.timestamp) === newest).flatMap((one) => one.versions);
  return {
    current_version: oneSpelling(versions, purl).join(', ') || 'unknown',
    severity: worst(sightings.map(({ severity }) => severity)),
    cvss_score: highest(sightings.map(({ cvss_score }) => cvss_score)),
  };
}

/** Of several spellings of one version the first by letters. */
function oneSpelling(versions: readonly string[], purl: string | null): readonly string[] {
  const type = purlType(purl === null ? {} : { purl }) ?? '';
  const sorted = [...new Set(versions)].sort();
  const keys = sorted.map((version) => versionKey(type, version));
  return sorted.filter((_, index) => keys.indexOf(keys[index]!) === index);
}

function instant(text: string | null | undefined): number {
  return (text && parseInstant(text)) || Number.NEGATIVE_INFINITY;
}

function worst(severities: readonly Severity[]): Severity {
  return SEVERITIES.find((severity) => severities.includes(severity)) ?? 'unknown';
}

function highest(scores: ReadonlyArray<number | null>): number | null {
  const known = scores.filter((score) => score !== null);
  return known.length === 0 ? null : known.reduce((one, other) => Math.max(one, other));
}
