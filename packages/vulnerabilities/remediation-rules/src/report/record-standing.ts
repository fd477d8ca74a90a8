import { type Issue, jsonPointer } from '@colophon/json';
import { DAY_MS, dayNumber, parseInstant } from '@colophon/notation';
import type { RemediationRecord } from '@colophon/records';
import { reportIssue } from './report-issue.ts';

/**
 * How one record stands at the end of a day. `unproven` is closed without what the report counts: neither fixed and
 * deployed, nor not affected with a VEX document. It stays open to the report.
 */
export type RecordStanding = {
  readonly record: RemediationRecord;
  /** Days since 1970-01-01. */
  readonly discovered: number;
  readonly outcome: 'patched' | 'not_affected' | 'open' | 'unproven';
  /** The day on which it was deployed or found not affected; undefined while it is open. */
  readonly resolved: number | undefined;
  /** Whole days from discovery to deployment, or so far. */
  readonly days: number;
};

/** What a reopening takes back. */
const STANDING_FIELDS = [
  'state',
  'closed_at',
  'vex_status',
  'affected',
  'date_patched',
  'date_deployed',
  'deployed_at',
  'resolution',
] as const;

/**
 * The record as it stands at the end of `asOf` (days since 1970-01-01), by what is known of it now: what was deployed by
 * then and proven later counts as deployed. A reopening after that day does not reach back: what was closed then stays
 * closed in the report on it. Undefined where it was not discovered yet.
 */
export function standingAt(record: RemediationRecord, asOf: number): RecordStanding | undefined {
  const discovered = dayNumber(record.date_discovered)!;
  if (discovered > asOf) return undefined;
  const known = beforeReopening(record, asOf);
  const deployed = known.date_deployed === null ? undefined : dayNumber(known.date_deployed);
  const closed = known.closed_at === null ? undefined : dayOfInstant(known.closed_at);
  if (known.vex_status === 'fixed' && deployed !== undefined && deployed <= asOf) {
    return { record, discovered, outcome: 'patched', resolved: deployed, days: deployed - discovered };
  }
  const days = asOf - discovered;
  const isClosed = known.state === 'closed' && closed !== undefined && closed <= asOf;
  if (!isClosed) return { record, discovered, outcome: 'open', resolved: undefined, days };
  const isNotAffected = known.vex_status === 'not_affected' && record.evidence.some(({ kind }) => kind === 'vex');
  if (isNotAffected)
    return { record, discovered, outcome: 'not_affected', resolved: closed, days: closed - discovered };
  return { record, discovered, outcome: 'unproven', resolved: undefined, days };
}

/** The record without everything from the first reopening after that day on. */
function beforeReopening(record: RemediationRecord, asOf: number): RemediationRecord {
  const { history } = record;
  // A void that was taken back never stopped the clock, so what is undone is not gone back to.
  const isAfterVoid = (index: number) =>
    history.slice(0, index).findLast(({ action }) => action === 'closed' || action === 'voided')?.action === 'voided';
  const first = history.findIndex(
    ({ action, at }, index) => action === 'reopened' && (dayOfInstant(at) ?? 0) > asOf && !isAfterVoid(index),
  );
  if (first === -1) return record;
  const before: Record<string, unknown> = { ...record };
  for (const { changes } of history.slice(first).reverse()) {
    for (const field of STANDING_FIELDS) if (Object.hasOwn(changes, field)) before[field] = changes[field]?.[0];
  }
  // What is reopened was closed, whether or not the history lists these two among its changes.
  before['state'] = 'closed';
  before['closed_at'] ??= history.slice(0, first).findLast(({ action }) => action === 'closed')?.at ?? null;
  return before as RemediationRecord;
}

/** Every way in which the dates of a record deny each other; figures made from such a record would be guesses. */
export function dateIssues(record: RemediationRecord): Issue[] {
  const { id, state, vex_status } = record;
  const issues: Issue[] = [];
  const discovered = readDay('date_discovered');
  const patched = readDay('date_patched');
  const deployed = readDay('date_deployed');
  const closed = readDay('closed_at');
  const discoveredAt = readDay('discovered_at');
  const deployedAt = readDay('deployed_at');

  const rules: ReadonlyArray<readonly [isDenied: boolean, field: keyof RemediationRecord, message: string]> = [
    [isAfter(discovered, deployed), 'date_deployed', 'it was deployed before it was discovered'],
    [isAfter(patched, deployed), 'date_patched', 'it was patched after it was deployed'],
    [isAfter(discovered, closed), 'closed_at', 'it was closed before it was discovered'],
    [isOther(discovered, discoveredAt), 'discovered_at', 'it is of another day than date_discovered'],
    [isOther(deployed, deployedAt), 'deployed_at', 'it is of another day than date_deployed'],
    [state === 'closed' && record.closed_at === null, 'closed_at', 'it is closed without a closing time'],
    [state === 'open' && record.closed_at !== null, 'closed_at', 'it is open, and was closed'],
    [
      vex_status === 'fixed' && state === 'closed' && record.date_deployed === null,
      'date_deployed',
      'it is fixed, and nowhere deployed',
    ],
    [vex_status === 'fixed' && isAfter(deployed, closed), 'closed_at', 'it was closed as fixed before it was deployed'],
  ];
  for (const [isDenied, field, message] of rules) if (isDenied) note('report.dates_contradict', field, message);
  return issues;

  /** Undefined for null, and for what was noted as no date. */
  function readDay(
    field: 'date_discovered' | 'date_patched' | 'date_deployed' | 'closed_at' | 'discovered_at' | 'deployed_at',
  ): number | undefined {
    const text: string | null = record[field];
    if (text === null && field !== 'date_discovered') return undefined;
    const isDay = field.startsWith('date_');
    const day = typeof text === 'string' ? (isDay ? dayNumber(text) : dayOfInstant(text)) : undefined;
    if (day === undefined)
      note('report.date_invalid', field, 'it is no date', isDay ? '2026-11-21' : '2026-11-21T08:00:00Z');
    return day;
  }

  function note(
    code: 'report.date_invalid' | 'report.dates_contradict',
    field: string,
    what: string,
    expected?: string,
  ): void {
    issues.push(reportIssue(code, jsonPointer([id, field]), `Record ${id}, ${field}: ${what}.`, expected));
  }
}

/** The day in UTC, since 1970-01-01, of an RFC 3339 time. */
function dayOfInstant(text: string): number | undefined {
  const instant = parseInstant(text);
  return instant === undefined ? undefined : Math.floor(instant / DAY_MS);
}

function isAfter(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one > other;
}

function isOther(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
