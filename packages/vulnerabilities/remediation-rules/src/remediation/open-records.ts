import { decidePriority, dueAt, isCve, MOST_CVES, statedVersion } from '@colophon/findings';
import { dayOf, formatInstant, parseInstant } from '@colophon/notation';
import type {
  EnrichedFinding,
  EvidenceReference,
  Finding,
  FindingComponent,
  RemediationRecord,
  Sighting,
} from '@colophon/records';
import { textIssues } from './change-record.ts';
import { discovery, dueSince, joinedWith, namesBeside, setAside, sightedWith } from './joined-record.ts';
import { type Found, NamePlan } from './name-plan.ts';
import { earlier, raised } from './raised-priority.ts';
import { withEvidence } from './record-evidence.ts';
import { type Actor, firstOf, withEvent } from './record-history.ts';
import { componentKey, remediationId } from './record-identity.ts';
import { componentOf, plainVersion, RecordIndex, seenVersions } from './record-index.ts';
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
import { isOtherCve, namesIn, VulnerabilityNames } from './vulnerability-names.ts';

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
  /** What scans list that are opened together with this one: what they say of names counts for all of them. */
  readonly listed?: readonly Finding[];
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
  const known = context.known.filter((record) => record.product === product);
  const opening: CheckedOpening = { ...context, overrides: checked.overrides };
  const outcomes = issues.length > 0 || product === undefined ? [] : settleAll(findings, known, product, opening);
  const moment = outcomes.some(({ outcome }) => outcome === 'opened') ? 'opening' : 'update';
  // What is given is checked also where every record is there already.
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

type Settled = { readonly outcome: keyof Opening; readonly record: RemediationRecord };

/** What becomes of everything that the scan lists, and of every record of which it says more; sorted. */
function settleAll(
  findings: readonly EnrichedFinding[],
  known: readonly RemediationRecord[],
  product: string,
  context: CheckedOpening,
): readonly Settled[] {
  const said = [...context.scan.record.findings, ...findings, ...(context.listed ?? [])];
  const names = new VulnerabilityNames([...namesIn(known), ...said]);
  const index = new RecordIndex(known, names);
  const found: Found = new Map(findings.map((finding) => [finding, index.find(finding)]));
  const again = reopenedBy(found, context.scan);
  const isLive = (record: RemediationRecord) => record.state === 'open' || again.has(record.id);
  const plan = new NamePlan(known, index, names, { found, isLive });
  const isExploited = exploitedNames(findings, known);
  const groups = groupFindings(findings, known, { found, names, plan });
  const settled = groups.map((group) => settle(group, product, { ...context, plan, isExploited }));
  return joinAll(settled, known, { plan, names }, context)
    .map((one) => [sortKey(one), one] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one);
}

function sortKey({ record }: Settled): string {
  return `${record.cve}\n${componentKey(componentOf(record))}\n${record.id}`;
}

/** The ids of closed records that the scan contradicts. */
function reopenedBy(found: Found, scan: KeptScan): ReadonlySet<string> {
  const listed = new Map<RemediationRecord, Finding[]>();
  for (const [finding, records] of found) {
    for (const record of records) {
      if (record.state === 'closed') listed.set(record, [...(listed.get(record) ?? []), finding]);
    }
  }
  const again = [...listed].filter(([record, some]) => contradiction(record, some, scan) !== undefined);
  return new Set(again.map(([{ id }]) => id));
}

/** Whether a CVE is exploited, by what the catalog says of a finding or has said of a record. */
function exploitedNames(
  findings: readonly EnrichedFinding[],
  known: readonly RemediationRecord[],
): (cve: string) => boolean {
  const exploited = new Set([
    ...findings.flatMap(({ id, cisa_kev }) => (cisa_kev.is_exploited ? [id] : [])),
    ...known.flatMap(({ cve, cisa_kev }) => (cisa_kev && isCve(cve) ? [cve] : [])),
  ]);
  return (cve) => exploited.has(cve);
}

/** Findings that one record speaks of. */
type Group = {
  readonly findings: EnrichedFinding[];
  /** What a new record is called. */
  readonly id: string;
  readonly known?: RemediationRecord;
  /** The record that it was part of while only the advisory was known. */
  readonly from?: RemediationRecord;
};

type Look = { readonly found: Found; readonly names: VulnerabilityNames; readonly plan: NamePlan };

function groupFindings(
  findings: readonly EnrichedFinding[],
  known: readonly RemediationRecord[],
  { found: all, names, plan }: Look,
): readonly Group[] {
  const groups = new Map<string, Group>();
  const byId = new Map(known.map((record) => [record.id, record]));
  const put = (key: string, group: Omit<Group, 'findings'>, finding?: EnrichedFinding) => {
    const there = groups.get(key) ?? { ...group, findings: [] };
    groups.set(key, there);
    if (finding !== undefined && there.findings.at(-1) !== finding) there.findings.push(finding);
  };
  for (const from of known) for (const id of plan.splitsOf(from)) put(`${from.id}\n${id}`, { id, from });
  for (const finding of findings) {
    const found = all.get(finding) ?? [];
    const isOf = (id: string) => !isOtherCve(finding.id, id);
    const standing = found.flatMap((record) => {
      const into = plan.joinsOf(record).flatMap((id) => byId.get(id) ?? []);
      // What was closed is opened again before another one goes on with it.
      return into.length > 0 && record.state === 'open' ? into : [record, ...into];
    });
    const hits = standing.filter((record) => isOf(plan.cveOf(record)));
    const splits = found.flatMap((from) =>
      plan
        .splitsOf(from)
        .filter(isOf)
        .map((id) => ({ id, from })),
    );
    for (const record of hits) put(record.id, { id: plan.cveOf(record), known: record }, finding);
    for (const { id, from } of splits) put(`${from.id}\n${id}`, { id, from }, finding);
    if (hits.length + splits.length > 0) continue;
    for (const id of newIds(finding, names)) put(`${id}\n${componentKey(finding.component)}`, { id }, finding);
  }
  return [...groups.values()];
}

/** Under which ids records are opened for what nothing is known of: each CVE that an advisory was given, up to eight. */
function newIds(finding: EnrichedFinding, names: VulnerabilityNames): readonly string[] {
  const ids = names.idsOf(finding);
  return ids.length > MOST_CVES ? [finding.id] : ids;
}

type SettleContext = CheckedOpening & {
  readonly plan: NamePlan;
  readonly isExploited: (cve: string) => boolean;
};

function settle({ findings, id, known, from }: Group, product: string, context: SettleContext): Settled {
  if (known === undefined) return { outcome: 'opened', record: newRecord({ findings, id, from }, product, context) };
  if (known.state === 'open') {
    const record = updatedRecord(known, findings, context);
    return { outcome: record === known ? 'unchanged' : 'updated', record };
  }
  const reason = contradiction(known, findings, context.scan);
  if (reason === undefined) return { outcome: 'unchanged', record: known };
  return { outcome: 'reopened', record: reopenedRecord(known, findings, context, reason) };
}

/** Gives each record its name by now, and sets those aside with which another one goes on. */
function joinAll(
  settled: readonly Settled[],
  known: readonly RemediationRecord[],
  { plan, names }: Pick<Look, 'plan' | 'names'>,
  context: CheckedOpening,
): Settled[] {
  const actor = actorOf(context);
  const outcomes = new Map(settled.map((one) => [one.record.id, one]));
  const byId = new Map(known.map((record) => [record.id, record]));
  const now = (id: string) => outcomes.get(id)?.record ?? byId.get(id);
  const put = (before: RemediationRecord, record: RemediationRecord) => {
    if (record === before) return;
    const outcome = outcomes.get(record.id)?.outcome ?? 'updated';
    outcomes.set(record.id, { outcome: outcome === 'unchanged' ? 'updated' : outcome, record });
  };
  for (const record of known) {
    const named = now(record.id)!;
    const cve = plan.cveOf(record);
    if (record.state === 'open' && named.cve !== cve && plan.joinsOf(record).length === 0) {
      put(named, renamedRecord(named, cve, context));
    }
  }
  for (const record of known) {
    const into = plan.joinsOf(record);
    for (const id of [...into, ...plan.sharesOf(record)]) put(now(id)!, joinedWith(now(id)!, now(record.id)!, actor));
    const goOn = into.flatMap((id) => now(id) ?? []);
    if (goOn.length > 0) put(now(record.id)!, setAside(now(record.id)!, goOn, actor));
  }
  const all = new Map([...known, ...settled.map(({ record }) => record)].map(({ id }) => [id, now(id)!]));
  const open = [...all.values()].filter(({ state }) => state === 'open');
  for (const beside of Map.groupBy(open, (record) => componentKey(componentOf(record))).values()) {
    const listed = beside.filter(({ sightings }) => sightings.some(({ listed_as }) => listed_as !== undefined));
    for (const { id } of beside.length < 2 ? [] : beside) {
      for (const other of listed.filter((one) => one.id !== id)) {
        const sightings = other.sightings.filter((sighting) => isAlso(names, now(id)!, sighting));
        if (sightings.length > 0) put(now(id)!, sightedWith(now(id)!, other, sightings, actor));
      }
    }
  }
  return [...outcomes.values()];
}

/** Whether what a scanner listed under an advisory alone is this vulnerability too. */
function isAlso(names: VulnerabilityNames, { cve }: RemediationRecord, { listed_as }: Sighting): boolean {
  const [id, ...aliases] = listed_as ?? [];
  return id !== undefined && isCve(cve) && names.idsOf({ id, aliases }).includes(cve);
}

/** A record that no scan lists anew, of which the CVE is known now. */
function renamedRecord(record: RemediationRecord, cve: string, context: CheckedOpening): RemediationRecord {
  const aliases = namesBeside(cve, [...record.aliases, record.cve]);
  const reason = `${record.cve} is ${cve}, by ${context.scan.digest}`;
  return withEvent(record, { cve, aliases }, { ...actorOf(context), action: 'updated', reason });
}

type New = Pick<Group, 'findings' | 'id'> & { readonly from: RemediationRecord | undefined };

function newRecord({ findings, id, from }: New, product: string, context: SettleContext): RemediationRecord {
  const component = findings[0]?.component ?? componentOf(from!);
  const { scan, at } = context;
  const scanned = findings.length === 0 ? [] : [scan.record.scannedAt ?? at];
  const discovered = earliest([...scanned, ...(from === undefined ? [] : [from.discovered_at])]);
  const listed = sightingsOf(findings, scan);
  const sightings = from === undefined ? listed : (addSightings(from.sightings, listed) ?? from.sightings);
  const seen = seenBy(sightings, component.purl ?? null);
  const isExploited = context.isExploited(id) || findings.some((one) => one.id === id && one.cisa_kev.is_exploited);
  const { severity, cvss_score } = seen;
  const priority = decidePriority({ severity, score: cvss_score ?? undefined, isExploited });
  return firstOf(
    {
      cve: id,
      component: component.name,
      current_version: seen.current_version,
      decision: 'undecided',
      patch_version: null,
      estimated_patch_date: null,
      vex_status: 'under_investigation',
      owner: context.owner ?? from?.owner ?? null,
      tracking_id: context.trackingId ?? from?.tracking_id ?? null,
      date_discovered: dayOf(discovered)!,
      date_patched: null,
      date_deployed: null,
      cisa_kev: isExploited,
      id: remediationId(product, id, component),
      product,
      purl: component.purl ?? null,
      aliases: namesBeside(id, [...namesListed(findings), ...(from === undefined ? [] : [from.cve, ...from.aliases])]),
      severity,
      cvss_score,
      remediation_priority: priority,
      due_at: dueAt(priority, discovered),
      discovered_at: discovered,
      deployed_at: null,
      state: 'open',
      closed_at: null,
      scanner: from?.scanner ?? sightings[0]!.scanner,
      fixed_in_versions: [...new Set([...fixedIn(findings), ...(from?.fixed_in_versions ?? [])])].sort(),
      sightings,
      resolution: null,
      closing_signature: null,
      evidence: withEvidence(from?.evidence ?? [], findings.length === 0 ? [] : evidenceOf(context)),
    },
    { ...actorOf(context), ...whyOf(context, openedBy(findings, from, context)) },
  );
}

function openedBy(
  findings: readonly EnrichedFinding[],
  from: RemediationRecord | undefined,
  context: CheckedOpening,
): string {
  const listed = findings.length === 0 ? [] : [listedBy(findings, context)];
  if (from === undefined) return listed.join();
  return [...listed, `part of ${from.cve}, for which record ${from.id} was opened`].join('; ');
}

function earliest(times: readonly string[]): string {
  return formatInstant(times.map((time) => parseInstant(time)!).reduce((one, other) => Math.min(one, other)));
}

function updatedRecord(
  known: RemediationRecord,
  findings: readonly EnrichedFinding[],
  context: SettleContext,
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
  context: SettleContext,
): Partial<RemediationRecord> | undefined {
  const sightings = addSightings(known.sightings, sightingsOf(findings, context.scan));
  const seen = seenBy(sightings ?? known.sightings, known.purl ?? findings[0]!.component.purl ?? null);
  const cve = context.plan.cveOf(known);
  const isExploited = exploitedNow(known, cve, findings, context);
  const input = { severity: seen.severity, score: seen.cvss_score ?? undefined, isExploited };
  const urgency = raised(known, input, context.at);
  const found = sightings === undefined ? {} : discovery(known, context.scan.record.scannedAt);
  const learned: Partial<RemediationRecord> = {
    purl: known.purl ?? findings[0]!.component.purl ?? null,
    ...(sightings === undefined ? sawAgain(known, context) : sawAnew(known, findings, context, { sightings, ...seen })),
    ...urgency,
    ...found,
    due_at: earlier(urgency.due_at, dueSince(known, found.discovered_at)),
    cisa_kev: isExploited,
    owner: known.owner ?? context.owner ?? null,
    tracking_id: known.tracking_id ?? context.trackingId ?? null,
    cve,
    aliases: namesBeside(cve, [...known.aliases, known.cve, ...namesListed(findings)]),
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

/**
 * A listing under the CVE says whether it is exploited; one under an advisory, which may have several, says only that it
 * is.
 */
function exploitedNow(
  known: RemediationRecord,
  cve: string,
  findings: readonly EnrichedFinding[],
  { catalogVersion, isExploited }: SettleContext,
): boolean {
  if (catalogVersion === undefined) return known.cisa_kev;
  const own = findings.filter(({ id }) => id === cve);
  if (own.length > 0) return own.some(({ cisa_kev }) => cisa_kev.is_exploited);
  return known.cisa_kev || isExploited(cve);
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
  context: SettleContext,
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

function namesListed(findings: readonly EnrichedFinding[]): readonly string[] {
  return findings.flatMap(({ id, aliases }) => [id, ...aliases]);
}

function fixedIn(findings: readonly EnrichedFinding[]): readonly string[] {
  return [...new Set(findings.flatMap(({ fixedInVersions }) => fixedInVersions))].sort();
}

function evidenceOf({ scan, sbom }: CheckedOpening): readonly EvidenceReference[] {
  const kept: EvidenceReference = { kind: 'scan', digest: scan.digest, name: scan.name };
  return sbom === undefined ? [kept] : [kept, sbom];
}
