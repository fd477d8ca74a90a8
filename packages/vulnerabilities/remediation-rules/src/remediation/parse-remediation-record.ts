import { PRIORITY_HOURS } from '@colophon/findings';
import { isJsonObject, type JsonObject, type JsonSchema, type ParseResult, SchemaWalk } from '@colophon/json';
import { dayOf, parseInstant } from '@colophon/notation';
import { isOfFormat, REMEDIATION_PRIORITIES, type RemediationRecord, remediationRecordSchema } from '@colophon/records';
import { computedFields } from './computed-fields.ts';
import { expectedForm } from './expected-form.ts';
import { firstDiscovery, MOVED_FIELD, RECORDED_FIELDS, replay } from './record-history.ts';
import { type RemediationIssue, remediationIssue } from './remediation-issue.ts';

/** An event has to be there, but without one it is the history that leads to nothing, and not its form that is wrong. */
const { minItems: _, ...history } = remediationRecordSchema.properties.history;
const FIELDS: Readonly<Record<keyof RemediationRecord, JsonSchema>> = {
  ...remediationRecordSchema.properties,
  history,
};
const CHECKS = Object.entries(FIELDS).map(([name, schema]) => ({ name, schema, expected: expectedForm(schema) }));
type FieldCheck = (typeof CHECKS)[number];

/** One for all records: it keeps the patterns that it has compiled. */
const walk = new SchemaWalk({ schema: remediationRecordSchema as JsonSchema, isOfFormat });

/**
 * Reads a record as it is kept and exported: each field has the form that remediationRecordSchema declares. Nothing is believed
 * that follows from the rest: the computed fields are computed again, and the history has to lead to what the record says.
 * Members that are not known are left alone.
 */
export function parseRemediationRecord(value: unknown): ParseResult<RemediationRecord> {
  if (!isJsonObject(value)) return refused(remediationIssue('remediation.field_invalid', 'a record is an object'));
  const issues = CHECKS.flatMap((check) => fieldIssue(check, value));
  if (issues.length > 0) return { ok: false, issues };
  const record = value as unknown as RemediationRecord;
  const inconsistent = [...stateIssues(record), ...computedIssues(record), ...historyIssues(record)];
  return inconsistent.length > 0 ? { ok: false, issues: inconsistent } : { ok: true, value: record };
}

function fieldIssue({ name, schema, expected }: FieldCheck, record: JsonObject): RemediationIssue[] {
  const facts = { path: `/${name}`, expected };
  if (!Object.hasOwn(record, name)) return [remediationIssue('remediation.field_missing', `${name} is missing`, facts)];
  if (walk.check({ schema, file: schema }, record[name], undefined)) return [];
  return [remediationIssue('remediation.field_invalid', `${name} does not have the form that it needs`, facts)];
}

/** A closed record was closed by something, and says when; an open one was not. */
function* stateIssues(record: RemediationRecord): Generator<RemediationIssue> {
  const isClosed = record.state === 'closed';
  const settled = { fixed: 'rescan', not_affected: 'statement' }[record.vex_status as string];
  const isSetAside = record.history.at(-1)?.action === 'voided';
  // What is set aside keeps the status that it had while it was open.
  const kind = settled ?? (isSetAside ? 'void' : undefined);
  if ((record.closed_at !== null) !== isClosed || record.resolution?.kind !== (isClosed ? kind : undefined)) {
    yield remediationIssue('remediation.field_invalid', 'the state contradicts what the record was closed by', {
      path: '/state',
    });
  } else if (isClosed !== (kind !== undefined) || (!isClosed && record.closing_signature !== null)) {
    yield remediationIssue('remediation.field_invalid', 'the state contradicts the status', { path: '/vex_status' });
  }
  if (record.date_discovered !== dayOf(record.discovered_at)) {
    yield remediationIssue('remediation.field_invalid', 'the day of discovery is another one than that of its time', {
      path: '/date_discovered',
    });
  }
}

function* computedIssues(record: RemediationRecord): Generator<RemediationIssue> {
  const { sla_compliance, ...computed } = computedFields(record, record.discovered_at);
  // What is open is pending until it is overdue, and only the reader's clock knows which.
  const isRight =
    record.sla_compliance === sla_compliance || (record.state === 'open' && record.sla_compliance === 'overdue');
  const expected = { ...computed, sla_compliance: isRight ? record.sla_compliance : sla_compliance };
  for (const [field, value] of Object.entries(expected)) {
    if (record[field as keyof RemediationRecord] === value) continue;
    yield remediationIssue('remediation.computed_differs', `${field} does not follow from the other fields`, {
      path: `/${field}`,
      expected: String(value),
    });
  }
}

function* historyIssues(record: RemediationRecord): Generator<RemediationIssue> {
  const first = firstDiscovery(record);
  const said = replay(record.history, first);
  if (said === undefined) {
    const message = 'an event does not follow from those before it';
    yield remediationIssue('remediation.history_invalid', message, { path: '/history' });
    return;
  }
  if (!followsDiscovery(record, first)) {
    const message = 'the first due time does not follow from the discovery';
    yield remediationIssue('remediation.history_invalid', message, { path: '/discovered_at' });
  }
  for (const field of [...RECORDED_FIELDS, MOVED_FIELD]) {
    if ((said.get(field) ?? null) === record[field]) continue;
    const message = `the history leads to another ${field}`;
    yield remediationIssue('remediation.history_invalid', message, {
      path: `/${field}`,
      expected: shown(said.get(field) ?? null),
    });
  }
}

/** The discovery is in no first event; the time that it left at first is. */
function followsDiscovery({ history: [first] }: RemediationRecord, discovered: unknown): boolean {
  const [, due] = first?.changes['due_at'] ?? [];
  if (typeof due !== 'string') return true;
  const [, priority] = first?.changes['remediation_priority'] ?? [];
  const hours = REMEDIATION_PRIORITIES.flatMap((one) => (one === priority ? (PRIORITY_HOURS[one] ?? []) : []));
  const from = parseInstant(String(discovered)) ?? Number.NaN;
  return parseInstant(due) === from + (hours[0] ?? Number.NaN) * 3_600_000;
}

/** Whatever a history says; text that was made of it by the language may be anything, or an exception. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function refused(issue: RemediationIssue): ParseResult<never> {
  return { ok: false, issues: [issue] };
}
