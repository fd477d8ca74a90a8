import { formatInstant, parseInstant } from '@colophon/notation';
import type { RemediationEvent, RemediationRecord } from '@colophon/records';
import { withComputedFields } from './computed-fields.ts';

/** The fields whose every value stands in the history, so that the history says what the record is. */
export const RECORDED_FIELDS = [
  'cve',
  'current_version',
  'decision',
  'patch_version',
  'estimated_patch_date',
  'vex_status',
  'owner',
  'tracking_id',
  'date_patched',
  'date_deployed',
  'deployed_at',
  'cisa_kev',
  'severity',
  'cvss_score',
  'remediation_priority',
  'due_at',
  'state',
  'closed_at',
] as const satisfies ReadonlyArray<keyof RemediationRecord>;

/**
 * The discovery stands in no first event, and in a later one only where it turned out to be earlier: by an older scan
 * of another scanner, or by another record of the same vulnerability.
 */
export const MOVED_FIELD = 'discovered_at' as const satisfies keyof RemediationRecord;

/** Who does something to a record, and when. */
export type Actor = {
  /** RFC 3339 */
  readonly at: string;
  /** An e-mail address, the subject of a certificate, or `colophon`. */
  readonly by: string;
};

type Unhistoried = Omit<RemediationRecord, 'history' | 'affected' | 'days_to_remediate' | 'sla_compliance'>;
export type RecordPatch = Partial<Unhistoried>;
type Why = { readonly reason?: string | undefined; readonly overrides?: readonly string[] | undefined };
type Happening = Actor & Why & { readonly action: RemediationEvent['action'] };

/** A new record, whose first event says every field that has a value. */
export function firstOf(fields: Unhistoried, { at, by, ...why }: Actor & Why): RemediationRecord {
  const changes = Object.fromEntries(
    RECORDED_FIELDS.filter((field) => fields[field] !== null).map((field) => [field, [null, fields[field]]] as const),
  );
  const event: RemediationEvent = { at: normal(at), by, action: 'opened', ...said(why), changes };
  return withComputedFields({ ...fields, history: [event] }, at);
}

/** The record after something happened to it: the fields, the event that says so, and what follows from both. */
export function withEvent(record: RemediationRecord, patch: RecordPatch, happening: Happening): RemediationRecord {
  const next = { ...record, ...patch };
  const changed = [...RECORDED_FIELDS, MOVED_FIELD].filter((field) => next[field] !== record[field]);
  const event: RemediationEvent = {
    at: notBefore(happening.at, record.history.at(-1)?.at),
    by: happening.by,
    action: happening.action,
    ...said(happening),
    changes: Object.fromEntries(changed.map((field) => [field, [record[field], next[field]]] as const)),
  };
  return withComputedFields({ ...next, history: [...record.history, event] }, happening.at);
}

function said({ reason, overrides = [] }: Why): Pick<RemediationEvent, 'reason' | 'overrides'> {
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(overrides.length === 0 ? {} : { overrides }),
  };
}

/** When it was discovered by what was known at first; what the record says where that never changed. */
export function firstDiscovery({ history, discovered_at }: RemediationRecord): unknown {
  const moved = history.find(({ changes }) => changes[MOVED_FIELD] !== undefined);
  return moved === undefined ? discovered_at : moved.changes[MOVED_FIELD]?.[0];
}

/**
 * What the history says that each recorded field is; undefined where an event does not follow from those before it.
 * @param discovered when it was discovered by what was known at first
 */
export function replay(
  history: readonly RemediationEvent[],
  discovered: unknown,
): ReadonlyMap<string, unknown> | undefined {
  const values = new Map<string, unknown>([[MOVED_FIELD, discovered]]);
  let before = Number.NEGATIVE_INFINITY;
  for (const [index, event] of history.entries()) {
    const at = parseInstant(event.at);
    if (at === undefined || at < before || (event.action === 'opened') !== (index === 0)) return undefined;
    before = at;
    for (const [field, [from, to]] of Object.entries(event.changes)) {
      if ((values.get(field) ?? null) !== from) return undefined;
      if (field === MOVED_FIELD && !isEarlier(to, from)) return undefined;
      values.set(field, to);
    }
  }
  return history.length === 0 ? undefined : values;
}

/** A discovery is never moved to a later time, which would be time that nobody had. */
function isEarlier(to: unknown, from: unknown): boolean {
  const [a, b] = [to, from].map((one) => (typeof one === 'string' ? parseInstant(one) : undefined));
  return a !== undefined && b !== undefined && a < b;
}

/** Clocks of two machines differ a little; the order in which things were written does not. */
function notBefore(at: string, last: string | undefined): string {
  return last !== undefined && parseInstant(at)! < parseInstant(last)! ? last : normal(at);
}

function normal(at: string): string {
  const instant = parseInstant(at);
  if (instant === undefined) throw new TypeError('at must be an RFC 3339 time');
  return formatInstant(instant);
}
