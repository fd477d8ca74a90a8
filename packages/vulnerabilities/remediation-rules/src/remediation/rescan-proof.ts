import { isCve, isUncounted, statedVersion } from '@colophon/findings';
import { dayOf, parseInstant } from '@colophon/notation';
import type {
  Decision,
  FindingComponent,
  RemediationRecord,
  ScannedSbom,
  ScanRecord,
  Sighting,
  UnreadEntry,
} from '@colophon/records';
import { dateIssues, deployment } from './change-record.ts';
import { componentIssues } from './component-proof.ts';
import { newerSbomIssues } from './newer-sbom.ts';
import type { Actor, RecordPatch } from './record-history.ts';
import { componentOf, isOfRecord } from './record-index.ts';
import { CLOSE, OR_REASON, type RemediationIssue, remediationIssue } from './remediation-issue.ts';
import { scanTieIssues } from './scan-tie.ts';
import { silenceIssues } from './scanner-silence.ts';
import { isScanner, type KeptScan, recordedSbom, recordedScan } from './sighting.ts';
import { undecidedBecause } from './version-standing.ts';
import { namedOf, namesIn, VulnerabilityNames } from './vulnerability-names.ts';

/** An SBOM that was made after the patch, and the scans of it. */
export type RescanProof = {
  readonly kind: 'rescan';
  readonly sbom: ScannedSbom;
  /** Everything that the SBOM holds. */
  readonly components: readonly FindingComponent[];
  /** What vendored code in it was made from, where only its properties say so. */
  readonly vendored?: readonly FindingComponent[];
  /** Everything in the SBOMs in which the record was found, where these are kept. */
  readonly before?: readonly FindingComponent[];
  readonly scans: readonly KeptScan[];
  /** A day or an RFC 3339 time; where it is absent, what the record says already counts. */
  readonly deployed?: string;
};

/**
 * Every condition of `fixed` that is not met: the SBOM is a newer one of the same artifact and does not hold what was
 * vulnerable; each scanner that listed the vulnerability has looked at exactly that SBOM, with a database not older than
 * before, and none lists it any more; and it is said when that was deployed.
 */
export function* rescanIssues(
  record: RemediationRecord,
  proof: RescanProof,
  context: Actor & { readonly others: readonly RemediationRecord[] },
): Generator<RemediationIssue> {
  yield* newerSbomIssues(record, proof.sbom, context.at);
  yield* componentIssues(record, proof);
  yield* scanIssues(record, proof, context.at);
  yield* scannerIssues(record, proof, context.others);
  yield* silenceIssues(
    proof,
    context.others.filter(({ id, product }) => id !== record.id && product === record.product),
  );
  yield* listingIssues(record, proof, context.others);
  yield* deploymentIssues(record, proof, context.at);
}

function versionsOf(components: readonly FindingComponent[]): string {
  return [...new Set(components.flatMap((one) => statedVersion(one) ?? []))].sort().join(', ');
}

/** What was decided, unless the SBOM shows something else. */
function decisionOf({ decision }: RemediationRecord, isGone: boolean): Decision {
  if (isGone) return decision === 'undecided' ? 'remove' : decision;
  return decision === 'undecided' || decision === 'remove' ? 'patch' : decision;
}

function* scanIssues(
  record: RemediationRecord,
  { scans, sbom, components }: RescanProof,
  at: string,
): Generator<RemediationIssue> {
  if (scans.length === 0) {
    yield remediationIssue('remediation.scan_missing', 'nothing shows what a scanner says of the SBOM', {
      expected: 'a scan of it',
      next: 'colophon scan run --sbom SBOM --record SCAN, and then --scan SCAN',
    });
  }
  for (const { record: scan, name } of scans) {
    if (scan.sbom?.digest !== sbom.digest) {
      yield remediationIssue('remediation.scan_of_other_sbom', `${name} is no scan of the SBOM that --sbom names`, {
        expected: sbom.digest,
        found: scan.sbom?.digest ?? 'a scan that does not say of what',
      });
    } else yield* scanTieIssues({ record: scan, name }, sbom, components);
    yield* scanTimeIssues(scan, sbom, name, at);
    const unread = scan.unread.find((entry) => mayHide(entry, record));
    if (unread !== undefined) {
      yield remediationIssue('remediation.scan_incomplete', `parts of ${name} are missing, or could not be read`, {
        expected: 'a scan that is read as a whole',
        found: `${unread.code} at ${unread.path || '(document)'}: ${unread.message}`,
        next: 'colophon scan import, which lists all of these',
      });
    }
  }
}

/** Clocks of the machines that made an SBOM and that scanned it may differ by so much; milliseconds. */
const MOST_CLOCK_SKEW = 5 * 60_000;

/** What a scan says of its own times, against the clock and the SBOM. */
function* scanTimeIssues(
  { scannedAt, scanner: { databaseBuiltAt } }: ScanRecord,
  { timestamp }: ScannedSbom,
  name: string,
  at: string,
): Generator<RemediationIssue> {
  const expected = `at most ${at}`;
  if (scannedAt !== undefined && parseInstant(scannedAt)! > parseInstant(at)!) {
    yield remediationIssue('remediation.scan_in_future', `${name} is dated in the future`, {
      expected,
      found: scannedAt,
    });
  }
  if (databaseBuiltAt !== undefined && parseInstant(databaseBuiltAt)! > parseInstant(at)!) {
    yield remediationIssue('remediation.scan_in_future', `the database of ${name} is dated in the future`, {
      expected,
      found: databaseBuiltAt,
    });
  }
  if (scannedAt === undefined || timestamp === undefined || parseInstant(timestamp)! > parseInstant(at)!) return;
  if (parseInstant(scannedAt)! >= parseInstant(timestamp)! - MOST_CLOCK_SKEW) return;
  yield remediationIssue('remediation.scan_of_other_sbom', `${name} is older than the SBOM that it is said to be of`, {
    expected: `${timestamp} or later`,
    found: scannedAt,
  });
}

/** Each scanner that listed it has to look again: the silence of another one proves nothing. */
function* scannerIssues(
  record: RemediationRecord,
  { scans }: RescanProof,
  others: readonly RemediationRecord[],
): Generator<RemediationIssue> {
  const named = sightingsUnderAnyName(record, scans, others).filter(({ scanner }) => isScanner(scanner));
  if (named.length === 0) {
    yield remediationIssue('remediation.scanner_unknown', 'nothing says which scanner listed the vulnerability', {
      expected: 'a record that was opened from the output of a scanner',
      found: 'findings without a scanner',
      next: 'colophon remediation open --scan OUTPUT --sbom FILE, with the output of the scanner itself',
    });
  }
  for (const sighting of named) {
    const same = scans.filter(({ record: scan }) => scan.scanner.name === sighting.scanner);
    if (same.length === 0) {
      yield remediationIssue('remediation.scanner_missing', `${sighting.scanner} listed it and has not looked again`, {
        expected: `a scan by ${sighting.scanner}: one more --scan, with what it says of the new SBOM`,
        found: scans.map(({ record: scan }) => scan.scanner.name).join(', ') || 'none',
      });
    }
    for (const scan of same) yield* databaseIssues(sighting, scan);
  }
}

/**
 * Its own sightings, and those of open records that turn out to be the same vulnerability in the same component: what a
 * scanner listed under the advisory alone belongs to each CVE of it.
 */
function sightingsUnderAnyName(
  record: RemediationRecord,
  scans: readonly KeptScan[],
  others: readonly RemediationRecord[],
): readonly Sighting[] {
  const nameless = others.filter(({ id, cve, state }) => id !== record.id && state === 'open' && !isCve(cve));
  if (nameless.length === 0) return record.sightings;
  const names = namesBeside(others, scans);
  const same = nameless.filter((other) => isSameHere(names, record, other));
  return [...record.sightings, ...same.flatMap(({ sightings }) => sightings)];
}

/** Whether two records are of the same vulnerability in the same component of the same product. */
function isSameHere(names: VulnerabilityNames, record: RemediationRecord, other: RemediationRecord): boolean {
  return (
    other.product === record.product &&
    names.areSame(namedOf(record), namedOf(other)) &&
    isOfRecord(other, componentOf(record))
  );
}

/** What the records of a product and the scans of a proof say of names; many records are closed by the same ones. */
function namesBeside(others: readonly RemediationRecord[], scans: readonly KeptScan[]): VulnerabilityNames {
  const byScans = NAMES.get(others) ?? new Map<string, VulnerabilityNames>();
  NAMES.set(others, byScans);
  const key = scans.map(({ digest }) => digest).join(' ');
  const known =
    byScans.get(key) ??
    new VulnerabilityNames([...namesIn(others), ...scans.flatMap(({ record: { findings } }) => findings)]);
  byScans.set(key, known);
  return known;
}

const NAMES = new WeakMap<readonly RemediationRecord[], Map<string, VulnerabilityNames>>();

function* databaseIssues(sighting: Sighting, { record: scan, name }: KeptScan): Generator<RemediationIssue> {
  const before = sighting.database_built_at;
  const after = scan.scanner.databaseBuiltAt;
  if (before === null) {
    yield remediationIssue(
      'remediation.database_unknown',
      `nothing says how old the database was with which ${sighting.scanner} listed it`,
      {
        expected: 'the time of the database of the first scan',
        next: 'colophon remediation open with the first scan, its SBOM and --database-time',
      },
    );
  }
  if (after === undefined) {
    yield remediationIssue('remediation.database_unknown', `nothing says how old the database of ${name} is`, {
      expected: 'the time of the database of the new scan: --database-time TIME',
    });
  }
  if (before === null || after === undefined || parseInstant(after)! >= parseInstant(before)!) return;
  yield remediationIssue(
    'remediation.database_older',
    `${name} was made with an older database than the scan that listed it`,
    {
      expected: `${before} or later: a scan after ${sighting.scanner} has updated its database`,
      found: after,
    },
  );
}

function* listingIssues(
  record: RemediationRecord,
  { scans }: RescanProof,
  others: readonly RemediationRecord[],
): Generator<RemediationIssue> {
  const still = new Map<string, string>();
  const elsewhere = new Map<string, string>();
  const names = namesBeside(others, scans);
  for (const { record: scan } of scans) {
    for (const finding of scan.findings) {
      if (!names.areSame(namedOf(record), finding)) continue;
      const { component } = finding;
      const called = `${component.name} ${component.version ?? '(no version)'}`;
      const said = `${called}, by ${scan.scanner.name}${isUncounted(finding) ? ', which does not count it' : ''}`;
      if (isOfRecord(record, component)) still.set(said, said);
      else if (!others.some((other) => isOpenFor(names, other, record, component))) elsewhere.set(called, said);
    }
  }
  if (still.size > 0) {
    yield remediationIssue('remediation.still_listed', `${record.cve} is still listed`, {
      expected: `nothing of ${record.cve} in ${record.component}: a version in which it is fixed, or a statement that it is not affected`,
      found: [...still.values()].sort().join('; '),
      next: 'colophon remediation close RECORD --vex FILE',
    });
  }
  if (elsewhere.size === 0) return;
  yield remediationIssue(
    'remediation.listed_elsewhere',
    `${record.cve} is listed in another component that has no open record`,
    {
      expected: 'an open record for it',
      found: [...elsewhere.values()].sort().join('; '),
      next: 'colophon remediation open, with the new scan and SBOM',
    },
  );
}

function isOpenFor(
  names: VulnerabilityNames,
  other: RemediationRecord,
  record: RemediationRecord,
  component: FindingComponent,
): boolean {
  return (
    other.state === 'open' &&
    other.product === record.product &&
    names.areSame(namedOf(record), namedOf(other)) &&
    isOfRecord(other, component)
  );
}

function* deploymentIssues(
  record: RemediationRecord,
  { deployed, sbom }: RescanProof,
  at: string,
): Generator<RemediationIssue> {
  if (deployed === undefined && record.date_deployed === null) {
    yield remediationIssue('remediation.deployment_missing', 'nothing says when the patched version was deployed', {
      path: '/date_deployed',
      expected: 'a day or a time',
      next: `${CLOSE} --deployed-on DAY`,
    });
    return;
  }
  const stated = deployed ?? record.deployed_at ?? record.date_deployed!;
  const issues = [
    ...(deployed === undefined ? [] : dateIssues(record, { deployed }, at)),
    ...seenAfterDeployment(record, stated),
  ];
  // A day that cannot be is refused as such.
  yield* issues.length > 0 ? issues : deployedBeforeSbom(stated, sbom, at);
}

/** What was deployed is built before, and its SBOM made then; of a day alone, that day counts. */
function* deployedBeforeSbom(deployed: string, { timestamp }: ScannedSbom, at: string): Generator<RemediationIssue> {
  const day = dayOf(deployed);
  if (timestamp === undefined || day === undefined || parseInstant(timestamp)! > parseInstant(at)!) return;
  const instant = parseInstant(deployed);
  if (instant === undefined ? day >= dayOf(timestamp)! : instant >= parseInstant(timestamp)!) return;
  yield remediationIssue(
    'remediation.deployed_before_sbom',
    'the SBOM was made after the deployment that it is to show',
    {
      path: '/date_deployed',
      expected: `${timestamp}, when the SBOM was made, or later; the SBOM of what was deployed; ${OR_REASON}`,
      found: deployed,
    },
  );
}

/** A build that still had it was made before the patch was deployed, and not after. */
function* seenAfterDeployment(record: RemediationRecord, deployed: string): Generator<RemediationIssue> {
  const built = record.sightings.flatMap(({ sbom }) => sbom?.timestamp ?? []);
  const newest = built.toSorted((a, b) => parseInstant(b)! - parseInstant(a)!)[0];
  if (newest === undefined || dayOf(deployed) === undefined) return;
  const instant = parseInstant(deployed);
  const isLater = instant === undefined ? deployed >= dayOf(newest)! : instant >= parseInstant(newest)!;
  // Before the discovery it is refused anyway.
  if (isLater || parseInstant(newest)! <= parseInstant(record.discovered_at)!) return;
  yield remediationIssue('remediation.date_order', 'a build that was made after that day still had it', {
    path: '/date_deployed',
    expected: `${newest}, when the newest SBOM was made in which it was found, or later`,
    found: deployed,
  });
}

/** What the record says once the proof holds. */
export function rescanPatch(record: RemediationRecord, proof: RescanProof): RecordPatch & { readonly why: string } {
  const { sbom, scans, components, vendored = [], deployed } = proof;
  const held = [...components, ...vendored].filter((one) => isOfRecord(record, one));
  const undecided = [...new Set(held.flatMap((one) => undecidedBecause(record, one) ?? []))];
  const decision = decisionOf(record, held.length === 0);
  const { date_deployed, deployed_at } = deployed === undefined ? record : deployment(deployed);
  return {
    vex_status: 'fixed',
    // Where the SBOM does not hold it, a patch is what a person says.
    patch_version: versionsOf(held) || (decision === 'remove' ? null : record.patch_version),
    decision,
    date_patched:
      record.date_patched ?? patchedBetween(record.date_discovered, dayOf(sbom.timestamp!)!, date_deployed!),
    date_deployed,
    deployed_at,
    resolution: { kind: 'rescan', sbom: recordedSbom(sbom), scans: scans.map((scan) => recordedScan(scan)) },
    why: [listedNoMore(proof), ...undecided.map((why) => `the scan alone decided: ${why}`)].join('; '),
  };
}

/** The words of the program that stand in the history of every record closed by a scan; more may follow them. */
export function listedNoMore({ scans, sbom }: Pick<RescanProof, 'scans' | 'sbom'>): string {
  return `${scans.map(({ record: scan }) => scan.scanner.name).join(', ')} lists it no more in ${sbom.digest}`;
}

/** The day of the SBOM; one that was made of an older build, or of what runs already, says it less exactly. */
function patchedBetween(discovered: string, made: string, deployed: string): string {
  if (made > deployed) return deployed;
  return made < discovered ? discovered : made;
}

/** What is left of these may have been the vulnerability; the other codes of an entry lose no finding. */
const HIDES_FINDINGS: ReadonlySet<string> = new Set([
  'scan.entry_invalid',
  'scan.id_missing',
  'scan.component_missing',
  'scan.incomplete',
]);

/** A scanner that could not look a component up lists nothing of it, and says so here alone. */
function mayHide({ code, component }: UnreadEntry, record: RemediationRecord): boolean {
  if (code !== 'scan.not_scanned') return HIDES_FINDINGS.has(code);
  return component === undefined || isOfRecord(record, component);
}
