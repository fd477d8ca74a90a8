import { decidePriority, dueAt, statedVersion } from '@colophon/findings';
import { dayOf, formatInstant, parseInstant } from '@colophon/notation';
import type {
  EnrichedFinding,
  EvidenceReference,
  Finding,
  FindingComponent,
  RemediationRecord,
} from '@colophon/records';
import { textIssues } from './change-record.ts';
import { raised } from './raised-priority.ts';
import { withEvidence } from './record-evidence.ts';
import { type Actor, firstOf, withEvent } from './record-history.ts';
import { componentKey, remediationId } from './record-identity.ts';
import { plainVersion, RecordIndex, seenVersions } from './record-index.ts';
import {
  type RemediationIssue,
  type RemediationResult,
  remediationIssue,
  withoutOverridden,
} from './remediation-issue.ts';
import { ownershipIssues, type RemediationPolicy } from './remediation-policy.ts';
import { scanTieIssues } from './scan-tie.ts';
import { addSightings, type KeptScan, seenBy, sightingsOf } from './sighting.ts';
import { listedAfterVoid } from './void-record.ts';

/** What is opened from, and who does it. */
export type OpeningContext = Actor & {
  readonly scan: KeptScan;
  /** The SBOM as it is kept, where it is. */
  readonly sbom?: EvidenceReference;
  /** Everything that the SBOM holds, where it can be read. */
  readonly components?: readonly FindingComponent[];
  /** Why a scan counts that matches the SBOM in nothing (`OVERRIDABLE_CODES`). */
  readonly reason?: string;
  /** Where the scan does not name the SBOM of an artifact. */
  readonly product?: string;
  /** The catalog that the findings were compared with; undefined where none was. */
  readonly catalogVersion?: string;
  /** For new records, and for those that have none yet. */
  readonly owner?: string;
  readonly trackingId?: string;
  readonly policy: RemediationPolicy;
  /** Records that are there, of this product at least. */
  readonly known: readonly RemediationRecord[];
};

/** With the codes of the conditions that the reason set aside. */
type CheckedOpening = OpeningContext & { readonly overrides: readonly string[] };

/** Every finding leads to one record; each stands in one of the lists, sorted by CVE and component. */
export type Opening = {
  readonly opened: readonly RemediationRecord[];
  readonly reopened: readonly RemediationRecord[];
  readonly updated: readonly RemediationRecord[];
  readonly unchanged: readonly RemediationRecord[];
};

/**
 * One record for each vulnerability in each component of the product (contract §3). What is open already learns what the
 * scan knows and keeps everything else, the day of its discovery above all; what was closed is opened again where the
 * scan contradicts that.
 */
export function openRecords(findings: readonly EnrichedFinding[], context: OpeningContext): RemediationResult<Opening> {
  const product = context.product ?? context.scan.record.sbom?.artifact;
  const checked = withoutOverridden([...textIssues(context), ...scanIssues(context, product)], context.reason);
  const issues = [...checked.issues];
  const index = new RecordIndex(context.known.filter((record) => record.product === product));
  const groups = product === undefined ? [] : groupFindings(findings, index);
  const opening: CheckedOpening = { ...context, overrides: checked.overrides };
  const outcomes = issues.length > 0 ? [] : groups.map((group) => settle(group, product!, opening));
  // What is given is checked also where every record is there already.
  const moment = outcomes.some(({ outcome }) => outcome === 'opened') ? 'opening' : 'update';
  issues.push(...ownershipIssues({ owner: context.owner, trackingId: context.trackingId }, moment, context.policy));
  if (issues.length > 0) return { ok: false, issues };
  const of = (wanted: Settled['outcome']) =>
    outcomes.filter(({ outcome }) => outcome === wanted).map(({ record }) => record);
  return {
    ok: true,
    value: { opened: of('opened'), reopened: of('reopened'), updated: of('updated'), unchanged: of('unchanged') },
  };
}

function* scanIssues(
  { scan, at, ...context }: OpeningContext,
  product: string | undefined,
): Generator<RemediationIssue> {
  if (product === undefined || product.trim() === '') {
    yield remediationIssue('remediation.product_missing', 'nothing says which product was scanned', {
      expected: 'a scan of an SBOM whose metadata.component has a name: --sbom FILE; or --product-name NAME',
    });
  }
  const {
    scannedAt,
    sbom,
    scanner: { databaseBuiltAt },
  } = scan.record;
  if (sbom?.artifact !== undefined && sbom.artifact !== product) {
    // No later SBOM of that product would be of the same artifact.
    yield remediationIssue('remediation.sbom_other_artifact', 'the SBOM is of another product', {
      expected: product ?? 'a name',
      found: sbom.artifact,
    });
  }
  if (sbom !== undefined && context.sbom !== undefined && context.sbom.digest !== sbom.digest) {
    yield remediationIssue('remediation.scan_of_other_sbom', `${scan.name} is no scan of ${context.sbom.name}`, {
      expected: context.sbom.digest,
      found: sbom.digest,
    });
  }
  if (sbom !== undefined && context.components !== undefined) {
    yield* scanTieIssues(scan, sbom, context.components);
  }
  if (scannedAt !== undefined && parseInstant(scannedAt)! > parseInstant(at)!) {
    yield remediationIssue('remediation.scan_in_future', 'the scan is dated in the future', {
      expected: `at most ${at}`,
      found: scannedAt,
    });
  }
  if (databaseBuiltAt !== undefined && parseInstant(databaseBuiltAt)! > parseInstant(at)!) {
    // No later scan would have a newer one.
    yield remediationIssue('remediation.scan_in_future', 'the database of the scan is dated in the future', {
      expected: `at most ${at}`,
      found: databaseBuiltAt,
    });
  }
  if (sbom?.timestamp !== undefined && !(parseInstant(sbom.timestamp)! <= parseInstant(at)!)) {
    yield remediationIssue('remediation.sbom_in_future', 'the SBOM is dated in the future', {
      expected: `at most ${at}`,
      found: sbom.timestamp,
    });
  }
}

/** Findings that one record speaks of, and that record where it is there. */
type Group = { readonly findings: EnrichedFinding[]; readonly known: RemediationRecord | undefined };
type Settled = { readonly outcome: keyof Opening; readonly record: RemediationRecord };

function groupFindings(findings: readonly EnrichedFinding[], index: RecordIndex): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const finding of findings) {
    const known = index.find(finding);
    const key = known?.id ?? `${finding.id}\n${componentKey(finding.component)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { findings: [finding], known });
    else group.findings.push(finding);
  }
  const sortKey = ({ findings: [first] }: Group) => `${first!.id}\n${componentKey(first!.component)}`;
  return [...groups.values()]
    .map((group) => [sortKey(group), group] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => group);
}

function settle({ findings, known }: Group, product: string, context: CheckedOpening): Settled {
  if (known === undefined) return { outcome: 'opened', record: newRecord(findings, product, context) };
  if (known.state === 'open') {
    const record = updatedRecord(known, findings, context);
    return { outcome: record === known ? 'unchanged' : 'updated', record };
  }
  const reason = contradiction(known, findings, context.scan);
  if (reason === undefined) return { outcome: 'unchanged', record: known };
  return { outcome: 'reopened', record: reopenedRecord(known, findings, context, reason) };
}

function newRecord(findings: readonly EnrichedFinding[], product: string, context: CheckedOpening): RemediationRecord {
  const first = findings[0]!;
  const { scan, at } = context;
  const discovered = formatInstant(parseInstant(scan.record.scannedAt ?? at)!);
  const sightings = sightingsOf(findings, scan);
  const seen = seenBy(sightings);
  const isExploited = findings.some(({ cisa_kev }) => cisa_kev.is_exploited);
  const { severity, cvss_score } = seen;
  const priority = decidePriority({ severity, score: cvss_score ?? undefined, isExploited });
  return firstOf(
    {
      cve: first.id,
      component: first.component.name,
      current_version: seen.current_version,
      decision: 'undecided',
      patch_version: null,
      estimated_patch_date: null,
      vex_status: 'under_investigation',
      owner: context.owner ?? null,
      tracking_id: context.trackingId ?? null,
      date_discovered: dayOf(discovered)!,
      date_patched: null,
      date_deployed: null,
      cisa_kev: isExploited,
      id: remediationId(product, first.id, first.component),
      product,
      purl: first.component.purl ?? null,
      aliases: aliasesOf(findings, first.id),
      severity,
      cvss_score,
      remediation_priority: priority,
      due_at: dueAt(priority, discovered),
      discovered_at: discovered,
      deployed_at: null,
      state: 'open',
      closed_at: null,
      scanner: sightings[0]!.scanner,
      fixed_in_versions: fixedIn(findings),
      sightings,
      resolution: null,
      closing_signature: null,
      evidence: evidenceOf(context),
    },
    { ...actorOf(context), ...whyOf(context, listedBy(findings, context)) },
  );
}

function updatedRecord(
  known: RemediationRecord,
  findings: readonly EnrichedFinding[],
  context: CheckedOpening,
): RemediationRecord {
  const learned = learn(known, findings, context);
  if (learned === undefined) return known;
  return withEvent(known, learned, {
    ...actorOf(context),
    action: 'updated',
    ...whyOf(context, listedBy(findings, context)),
  });
}

/** What a scan adds to a record, or undefined where it adds nothing. */
function learn(
  known: RemediationRecord,
  findings: readonly EnrichedFinding[],
  context: CheckedOpening,
): Partial<RemediationRecord> | undefined {
  const sightings = addSightings(known.sightings, sightingsOf(findings, context.scan));
  const seen = seenBy(sightings ?? known.sightings);
  const isExploited =
    context.catalogVersion === undefined ? known.cisa_kev : findings.some(({ cisa_kev }) => cisa_kev.is_exploited);
  const input = { severity: seen.severity, score: seen.cvss_score ?? undefined, isExploited };
  const learned: Partial<RemediationRecord> = {
    purl: known.purl ?? findings[0]!.component.purl ?? null,
    ...(sightings === undefined ? sawAgain(known, context) : sawAnew(known, findings, context, { sightings, ...seen })),
    ...raised(known, input, context.at),
    cisa_kev: isExploited,
    owner: known.owner ?? context.owner ?? null,
    tracking_id: known.tracking_id ?? context.trackingId ?? null,
    ...namesOf(known, findings),
    fixed_in_versions: [...new Set([...known.fixed_in_versions, ...fixedIn(findings)])].sort(),
  };
  const isNew = Object.entries(learned).some(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(known[field as keyof RemediationRecord]),
  );
  return isNew ? learned : undefined;
}

/** The SBOM of a scan that the record rests on may be handed in later than the scan. */
function sawAgain(known: RemediationRecord, { scan, sbom }: CheckedOpening) {
  const isOfKnownScan = known.sightings.some((sighting) => sighting.scan === scan.digest);
  return sbom === undefined || !isOfKnownScan ? {} : { evidence: withEvidence(known.evidence, [sbom]) };
}

function sawAnew<T>(known: RemediationRecord, findings: readonly EnrichedFinding[], context: CheckedOpening, seen: T) {
  return {
    ...seen,
    purl: findings[0]!.component.purl ?? known.purl,
    evidence: withEvidence(known.evidence, evidenceOf(context)),
  };
}

/** A record that was opened under another id takes the CVE as soon as one is known; its own id stays. */
function namesOf(
  known: RemediationRecord,
  findings: readonly EnrichedFinding[],
): Pick<RemediationRecord, 'cve' | 'aliases'> {
  const listed = findings[0]!.id;
  const cve = !known.cve.startsWith('CVE-') && listed.startsWith('CVE-') ? listed : known.cve;
  const names = new Set([...known.aliases, known.cve, ...findings.flatMap(({ id, aliases }) => [id, ...aliases])]);
  names.delete(cve);
  return { cve, aliases: [...names].sort() };
}

/** Why a closed or voided record does not hold any more; undefined where the scan says nothing against it. */
export function contradiction(
  known: RemediationRecord,
  findings: readonly Finding[],
  kept: KeptScan,
): string | undefined {
  const { record: scan } = kept;
  const by = `listed again by ${scan.scanner.name}`;
  const { resolution } = known;
  if (resolution?.kind === 'void') return listedAfterVoid(known, findings, kept);
  if (resolution?.kind === 'statement') {
    // A scanner goes on listing what a statement explains. The statement was made for the versions of then.
    const assessed = seenVersions(known);
    const other = findings.find(({ component }) => !assessed.has(plainVersion(component)));
    return other && `${by} in version ${statedVersion(other.component) ?? '(none)'}, which was not assessed`;
  }
  const closedWith = resolution?.sbom;
  const isOlderBuild =
    scan.sbom === undefined
      ? (parseInstant(scan.scannedAt ?? '') ?? 0) <= parseInstant(known.closed_at ?? '')!
      : scan.sbom.digest !== closedWith?.digest &&
        (parseInstant(scan.sbom.timestamp ?? '') ?? 0) <= (parseInstant(closedWith?.timestamp ?? '') ?? 0);
  return isOlderBuild ? undefined : `${by} in ${scan.sbom?.digest ?? 'a later scan'}`;
}

function reopenedRecord(
  known: RemediationRecord,
  findings: readonly EnrichedFinding[],
  context: CheckedOpening,
  reason: string,
): RemediationRecord {
  return withEvent(
    known,
    {
      ...learn(known, findings, context),
      state: 'open',
      closed_at: null,
      vex_status: 'under_investigation',
      decision: 'undecided',
      patch_version: null,
      date_patched: null,
      date_deployed: null,
      deployed_at: null,
      resolution: null,
      closing_signature: null,
    },
    { ...actorOf(context), action: 'reopened', ...whyOf(context, reason) },
  );
}

/** In words for the history, also that a scanner lists it without counting it. */
function listedBy(findings: readonly EnrichedFinding[], { scan }: CheckedOpening): string {
  const [suppressed] = findings.flatMap(({ reportedBy }) => reportedBy.flatMap((report) => report.suppressed ?? []));
  const note = suppressed === undefined ? '' : `, which does not count it: ${suppressed}`;
  return `listed by ${scan.record.scanner.name}${note} (${scan.digest})`;
}

/** The words of a person before our own, with what they set aside. */
function whyOf({ reason, overrides }: CheckedOpening, why: string) {
  return { reason: reason === undefined ? why : `${reason}; ${why}`, overrides };
}

function actorOf({ at, by }: Actor): Actor {
  return { at, by };
}

function aliasesOf(findings: readonly EnrichedFinding[], id: string): readonly string[] {
  const names = new Set(findings.flatMap((finding) => [finding.id, ...finding.aliases]));
  names.delete(id);
  return [...names].sort();
}

function fixedIn(findings: readonly EnrichedFinding[]): readonly string[] {
  return [...new Set(findings.flatMap(({ fixedInVersions }) => fixedInVersions))].sort();
}

function evidenceOf({ scan, sbom }: CheckedOpening): readonly EvidenceReference[] {
  const kept: EvidenceReference = { kind: 'scan', digest: scan.digest, name: scan.name };
  return sbom === undefined ? [kept] : [kept, sbom];
}
