import { PRIORITY_HOURS } from '@colophon/findings';
import { isJsonObject, type ParseResult } from '@colophon/json';
import { dayNumber, dayOf, isSha256, parseInstant } from '@colophon/notation';
import {
  DECISIONS,
  EVIDENCE_KINDS,
  RECORD_STATES,
  REMEDIATION_ACTIONS,
  REMEDIATION_PRIORITIES,
  type RemediationRecord,
  SEVERITIES,
  SLA_COMPLIANCES,
  VEX_JUSTIFICATIONS,
  VEX_STATUSES,
  VOID_CAUSES,
} from '@colophon/records';
import { computedFields } from './computed-fields.ts';
import { RECORDED_FIELDS, replay } from './record-history.ts';
import { type RemediationIssue, remediationIssue } from './remediation-issue.ts';

type Check = { readonly expected: string; holds(value: unknown): boolean };

const isText = (value: unknown): value is string => typeof value === 'string';

const text: Check = { expected: 'text', holds: (value) => isText(value) && value !== '' };
const day: Check = {
  expected: 'a day such as 2026-01-31',
  holds: (value) => isText(value) && dayNumber(value) !== undefined,
};
const instant: Check = {
  expected: 'a time such as 2026-01-31T12:00:00Z',
  holds: (value) => isText(value) && parseInstant(value) !== undefined,
};
const digest: Check = {
  expected: 'sha256: and 64 hex digits',
  holds: (value) => isText(value) && isSha256(value),
};
const flag: Check = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
const integer: Check = { expected: 'an integer', holds: Number.isSafeInteger };
const score: Check = {
  expected: 'a number from 0 to 10',
  holds: (value) => typeof value === 'number' && value >= 0 && value <= 10,
};
const oneOf = (values: readonly string[]): Check => ({
  expected: values.join(', '),
  holds: (value) => isText(value) && values.includes(value),
});
const nullable = ({ expected, holds }: Check): Check => ({
  expected: `${expected}, or null`,
  holds: (value) => value === null || holds(value),
});
const listOf = ({ expected, holds }: Check): Check => ({
  expected: `a list, each ${expected}`,
  holds: (value) => Array.isArray(value) && value.every(holds),
});
/** An object with all of these members; others that are known have their form where they are there. */
const shape = (members: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check => {
  const checks = Object.entries(members);
  const others = Object.entries(optional);
  return {
    expected: `an object with ${Object.keys(members).join(', ')}`,
    holds: (value) =>
      isJsonObject(value) &&
      checks.every(([name, check]) => Object.hasOwn(value, name) && check.holds(value[name])) &&
      others.every(([name, check]) => !Object.hasOwn(value, name) || check.holds(value[name])),
  };
};
const either = (...checks: readonly Check[]): Check => ({
  expected: checks.map(({ expected }) => expected).join(', or '),
  holds: (value) => checks.some((check) => check.holds(value)),
});

const recordedSbom = shape({
  digest,
  serial_number: nullable(text),
  version: nullable(integer),
  timestamp: nullable(instant),
  artifact_version: nullable(text),
});
const recordedScan = {
  scanner: text,
  scanner_version: nullable(text),
  database_built_at: nullable(instant),
  scanned_at: nullable(instant),
  scan: digest,
};

const FIELDS: Readonly<Record<keyof RemediationRecord, Check>> = {
  cve: text,
  component: text,
  current_version: text,
  affected: flag,
  decision: oneOf(DECISIONS),
  patch_version: nullable(text),
  estimated_patch_date: nullable(day),
  vex_status: oneOf(VEX_STATUSES),
  owner: nullable(text),
  tracking_id: nullable(text),
  date_discovered: day,
  date_patched: nullable(day),
  date_deployed: nullable(day),
  cisa_kev: flag,
  days_to_remediate: nullable(integer),
  sla_compliance: oneOf(SLA_COMPLIANCES),
  id: text,
  product: text,
  purl: nullable(text),
  aliases: listOf(text),
  severity: oneOf(SEVERITIES),
  cvss_score: nullable(score),
  remediation_priority: oneOf(REMEDIATION_PRIORITIES),
  due_at: nullable(instant),
  discovered_at: instant,
  deployed_at: nullable(instant),
  state: oneOf(RECORD_STATES),
  closed_at: nullable(instant),
  scanner: text,
  fixed_in_versions: listOf(text),
  sightings: listOf(
    shape(
      {
        ...recordedScan,
        sbom: nullable(recordedSbom),
        versions: listOf(text),
        severity: oneOf(SEVERITIES),
        cvss_score: nullable(score),
      },
      { withdrawn: text },
    ),
  ),
  resolution: nullable(
    either(
      shape({
        kind: oneOf(['rescan']),
        sbom: recordedSbom,
        scans: listOf(shape({ ...recordedScan, sbom: nullable(recordedSbom) })),
      }),
      shape({
        kind: oneOf(['statement']),
        document: digest,
        justification: oneOf(VEX_JUSTIFICATIONS),
        stated_at: instant,
        signer: text,
      }),
      shape({ kind: oneOf(['void']), cause: oneOf(VOID_CAUSES) }),
    ),
  ),
  closing_signature: nullable(shape({ bundle: digest, signer: text })),
  evidence: listOf(shape({ kind: oneOf(EVIDENCE_KINDS), digest, name: text })),
  history: listOf(
    shape(
      {
        at: instant,
        by: text,
        action: oneOf(REMEDIATION_ACTIONS),
        changes: {
          expected: 'an object of pairs',
          holds: (value) =>
            isJsonObject(value) && Object.values(value).every((pair) => Array.isArray(pair) && pair.length === 2),
        },
      },
      { overrides: listOf(text) },
    ),
  ),
};
const CHECKS = Object.entries(FIELDS);

/**
 * Reads a record as it is kept and exported, and believes nothing that follows from the rest: the computed fields are
 * computed again, and the history has to lead to what the record says. Members that are not known are left alone.
 */
export function parseRemediationRecord(value: unknown): ParseResult<RemediationRecord> {
  if (!isJsonObject(value)) return refused(remediationIssue('remediation.field_invalid', 'a record is an object'));
  const issues = CHECKS.flatMap(([name, check]) => fieldIssue(name, check, value));
  if (issues.length > 0) return { ok: false, issues };
  const record = value as unknown as RemediationRecord;
  const inconsistent = [...stateIssues(record), ...computedIssues(record), ...historyIssues(record)];
  return inconsistent.length > 0 ? { ok: false, issues: inconsistent } : { ok: true, value: record };
}

function fieldIssue(
  name: string,
  { expected, holds }: Check,
  value: Readonly<Record<string, unknown>>,
): RemediationIssue[] {
  const path = `/${name}`;
  if (!Object.hasOwn(value, name))
    return [remediationIssue('remediation.field_missing', `${name} is missing`, { path, expected })];
  return holds(value[name])
    ? []
    : [
        remediationIssue('remediation.field_invalid', `${name} does not have the form that it needs`, {
          path,
          expected,
        }),
      ];
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
  const said = replay(record.history);
  if (said === undefined) {
    const message = 'an event does not follow from those before it';
    yield remediationIssue('remediation.history_invalid', message, { path: '/history' });
    return;
  }
  if (!followsDiscovery(record)) {
    const message = 'the first due time does not follow from the discovery';
    yield remediationIssue('remediation.history_invalid', message, { path: '/discovered_at' });
  }
  for (const field of RECORDED_FIELDS) {
    if ((said.get(field) ?? null) === record[field]) continue;
    const message = `the history leads to another ${field}`;
    yield remediationIssue('remediation.history_invalid', message, {
      path: `/${field}`,
      expected: shown(said.get(field) ?? null),
    });
  }
}

/** The discovery never changes and is in no history; the time that it left at first is. */
function followsDiscovery({ history: [first], discovered_at }: RemediationRecord): boolean {
  const [, due] = first?.changes['due_at'] ?? [];
  if (!isText(due)) return true;
  const [, priority] = first?.changes['remediation_priority'] ?? [];
  const hours = REMEDIATION_PRIORITIES.flatMap((one) => (one === priority ? (PRIORITY_HOURS[one] ?? []) : []));
  return parseInstant(due) === parseInstant(discovered_at)! + (hours[0] ?? Number.NaN) * 3_600_000;
}

/** Whatever a history says; text that was made of it by the language may be anything, or an exception. */
function shown(value: unknown): string {
  return isText(value) ? value : JSON.stringify(value);
}

function refused(issue: RemediationIssue): ParseResult<never> {
  return { ok: false, issues: [issue] };
}
