import { dueAt, isCve } from '@colophon/findings';
import { dayOf, formatInstant, parseInstant } from '@colophon/notation';
import type { RemediationRecord, Sighting } from '@colophon/records';
import { REMEDIATION_PRIORITIES } from '@colophon/records';
import { earlier, higherPriority, raised } from './raised-priority.ts';
import { withEvidence } from './record-evidence.ts';
import { type Actor, type RecordPatch, withEvent } from './record-history.ts';
import { addSightings, seenBy } from './sighting.ts';

/** Whether a record was set aside because another one of the same vulnerability in the same component goes on with it. */
export function isJoined({ resolution }: Pick<RemediationRecord, 'resolution'>): boolean {
  return resolution?.kind === 'void' && resolution.cause === 'joined';
}

/**
 * A record that goes on with what another one of the same vulnerability knows: every scanner that listed either, the
 * earlier discovery, the higher priority, the stricter due time, the worse status. What is only one's word stays that
 * one's, unless nobody said it here. Returned as it is where the other knows nothing more.
 */
export function joinedWith(record: RemediationRecord, other: RemediationRecord, actor: Actor): RemediationRecord {
  const reason = `the same vulnerability as ${other.cve}, for which record ${other.id} was opened`;
  return learned(record, known(record, other, actor.at), { ...actor, reason });
}

/**
 * A record with what scanners listed in another one under the name of an advisory alone, which turns out to be this
 * vulnerability as well. Returned as it is where that is nothing new.
 */
export function sightedWith(
  record: RemediationRecord,
  other: RemediationRecord,
  sightings: readonly Sighting[],
  actor: Actor,
): RemediationRecord {
  const scans = new Set(sightings.map(({ scan }) => scan));
  const times = sightings.flatMap(({ scanned_at }) => scanned_at ?? []).sort(compareTimes);
  const part: RemediationRecord = {
    ...record,
    aliases: [...new Set(sightings.flatMap(({ listed_as = [] }) => listed_as))],
    discovered_at: times[0] ?? record.discovered_at,
    fixed_in_versions: other.fixed_in_versions,
    sightings,
    evidence: other.evidence.filter(({ kind, digest }) => kind === 'scan' && scans.has(digest)),
  };
  const reason = `listed under ${part.aliases.join(', ')}, as in record ${other.id} (${other.cve})`;
  return learned(record, known(record, part, actor.at), { ...actor, reason });
}

function compareTimes(a: string, b: string): number {
  return parseInstant(a)! - parseInstant(b)!;
}

function learned(
  record: RemediationRecord,
  patch: RecordPatch,
  happening: Actor & { readonly reason: string },
): RemediationRecord {
  const isNew = Object.entries(patch).some(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(record[field as keyof RemediationRecord]),
  );
  return isNew ? withEvent(record, patch, { ...happening, action: 'updated' }) : record;
}

function known(record: RemediationRecord, other: RemediationRecord, at: string): RecordPatch {
  const sightings = addSightings(record.sightings, other.sightings) ?? record.sightings;
  const { current_version, ...bad } = sightings.length === 0 ? record : seenBy(sightings, record.purl);
  const isExploited = record.cisa_kev || other.cisa_kev;
  const input = { severity: bad.severity, score: bad.cvss_score ?? undefined, isExploited };
  const mine = raised(record, input, at);
  const found = discovery(record, other.discovered_at);
  const isUndecided = record.decision === 'undecided';
  return {
    sightings,
    current_version,
    severity: bad.severity,
    cvss_score: bad.cvss_score,
    cisa_kev: isExploited,
    remediation_priority: higherPriority(mine.remediation_priority, other.remediation_priority),
    ...found,
    due_at: earlier(earlier(mine.due_at, other.due_at), dueSince(record, found.discovered_at)),
    purl: record.purl ?? other.purl,
    aliases: namesBeside(record.cve, [...record.aliases, other.cve, ...other.aliases]),
    fixed_in_versions: [...new Set([...record.fixed_in_versions, ...other.fixed_in_versions])].sort(),
    evidence: withEvidence(record.evidence, other.evidence),
    owner: record.owner ?? other.owner,
    tracking_id: record.tracking_id ?? other.tracking_id,
    vex_status: other.vex_status === 'affected' ? 'affected' : record.vex_status,
    decision: isUndecided ? other.decision : record.decision,
    patch_version: record.patch_version ?? (isUndecided ? other.patch_version : null),
    estimated_patch_date: record.estimated_patch_date ?? (isUndecided ? other.estimated_patch_date : null),
  };
}

/** The record that another one goes on with: it stays with its history, is found by its names, and is counted nowhere. */
export function setAside(
  record: RemediationRecord,
  into: readonly RemediationRecord[],
  actor: Actor,
): RemediationRecord {
  const { at } = actor;
  const ids = into.map(({ id, cve }) => `record ${id} (${cve})`);
  const aliases = new Set([...record.aliases, ...into.map(({ cve }) => cve)]);
  aliases.delete(record.cve);
  const patch = {
    aliases: [...aliases].sort(),
    state: 'closed',
    closed_at: formatInstant(parseInstant(at)!),
    resolution: { kind: 'void', cause: 'joined' },
  } as const;
  return withEvent(record, patch, {
    ...actor,
    action: 'voided',
    reason: `the same vulnerability: ${ids.join(', ')} goes on with it`,
  });
}

/** Other names of a vulnerability: none of them is another CVE. */
export function namesBeside(cve: string, names: Iterable<string>): readonly string[] {
  const others = new Set([...names].filter((name) => !isCve(name) || !isCve(cve)));
  others.delete(cve);
  return [...others].sort();
}

/** An earlier discovery than a record has, with its day; nothing where it is not earlier. */
export function discovery(
  record: RemediationRecord,
  at: string | undefined,
): Partial<Pick<RemediationRecord, 'discovered_at' | 'date_discovered'>> {
  if (at === undefined || parseInstant(at)! >= parseInstant(record.discovered_at)!) return {};
  const discovered_at = formatInstant(parseInstant(at)!);
  return { discovered_at, date_discovered: dayOf(discovered_at)! };
}

/** Until when it had to be dealt with, had it been discovered then; what was raised since has the hours of the raise. */
export function dueSince({ history }: RemediationRecord, discovered: string | undefined): string | null {
  const first = history[0]?.changes['remediation_priority']?.[1];
  const priority = REMEDIATION_PRIORITIES.find((one) => one === first);
  return discovered === undefined || priority === undefined ? null : dueAt(priority, discovered);
}
