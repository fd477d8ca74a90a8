import { dayNumber, dayOf, formatInstant, parseInstant } from '@colophon/notation';
import type { Decision, RemediationRecord, VexStatus } from '@colophon/records';
import { transitionIssues } from '@colophon/vex';
import { type Actor, RECORDED_FIELDS, withEvent } from './record-history.ts';
import { type RemediationIssue, type RemediationResult, remediationIssue } from './remediation-issue.ts';
import { isPlainText, ownershipIssues, type RemediationPolicy } from './remediation-policy.ts';

/** What a person may say of a record; what is absent stays. */
export type RecordChange = {
  readonly owner?: string;
  readonly tracking_id?: string;
  readonly decision?: Decision;
  readonly patch_version?: string;
  /** A day. */
  readonly estimated_patch_date?: string;
  readonly vex_status?: VexStatus;
  /** A day. */
  readonly date_patched?: string;
  /** A day or an RFC 3339 time: with the time, hours count. */
  readonly deployed?: string;
  readonly reason?: string;
};

export type ChangeContext = Actor & { readonly policy: RemediationPolicy };

/** The refusal of what is asked of a closed record. */
export function alreadyClosed(
  { closed_at }: RemediationRecord,
  message = 'a closed record stays as it was signed',
): RemediationIssue {
  const facts = { expected: 'an open record', found: `closed at ${closed_at}` };
  return remediationIssue('remediation.already_closed', message, facts);
}

/** The record after a person changed it; `fixed` and `not_affected` are only reached by closing it. */
export function changeRecord(
  record: RemediationRecord,
  change: RecordChange,
  context: ChangeContext,
): RemediationResult<RemediationRecord> {
  if (record.state === 'closed') {
    return { ok: false, issues: [alreadyClosed(record)] };
  }
  const issues = changeIssues(record, change, context);
  if (issues.length > 0) return { ok: false, issues };
  const { reason, deployed, ...fields } = change;
  const patch = { ...fields, ...(deployed === undefined ? {} : deployment(deployed)) };
  if (RECORDED_FIELDS.every((field) => !(field in patch) || patch[field as keyof typeof patch] === record[field])) {
    const message = 'nothing differs from what the record says';
    return { ok: false, issues: [remediationIssue('remediation.nothing_to_change', message)] };
  }
  const { at, by } = context;
  return { ok: true, value: withEvent(record, patch, { at, by, action: 'updated', reason }) };
}

/** A deployment as it was stated: the day in UTC, and the instant where one was given. */
export function deployment(stated: string): Pick<RemediationRecord, 'date_deployed' | 'deployed_at'> {
  const instant = parseInstant(stated);
  return { date_deployed: dayOf(stated)!, deployed_at: instant === undefined ? null : formatInstant(instant) };
}

function changeIssues(
  record: RemediationRecord,
  change: RecordChange,
  { at, policy }: ChangeContext,
): readonly RemediationIssue[] {
  return [
    ...ownershipIssues({ owner: change.owner, trackingId: change.tracking_id }, 'update', policy),
    ...textIssues(change),
    ...dateIssues(record, change, at),
    ...statusIssues(record, change),
  ];
}

/** Texts of a person that are no line. */
export function* textIssues(change: Pick<RecordChange, 'patch_version' | 'reason'>): Generator<RemediationIssue> {
  for (const field of ['patch_version', 'reason'] as const) {
    const text = change[field];
    if (text === undefined || isPlainText(text)) continue;
    const expected = 'one line of at most 200 characters';
    yield remediationIssue('remediation.text_invalid', `${field} cannot be read as a line of text`, {
      path: `/${field}`,
      expected,
    });
  }
}

/** Days and times that are none, are to come, or stand in the wrong order. */
export function* dateIssues(
  { date_discovered, discovered_at, ...record }: RemediationRecord,
  change: Pick<RecordChange, 'estimated_patch_date' | 'date_patched' | 'deployed'>,
  at: string,
): Generator<RemediationIssue> {
  const today = dayOf(at)!;
  const stated = [
    ['/estimated_patch_date', change.estimated_patch_date, dayNumber],
    ['/date_patched', change.date_patched, dayNumber],
    ['/date_deployed', change.deployed, dayOf],
  ] as const;
  for (const [path, text, read] of stated) {
    if (text === undefined) continue;
    const day = read(text) === undefined ? undefined : dayOf(text)!;
    if (day === undefined) {
      const expected = `a day such as ${today}${read === dayOf ? `, or a time such as ${at}` : ''}`;
      yield remediationIssue('remediation.date_invalid', 'not a day of the calendar', {
        path,
        expected,
        found: text.slice(0, 40),
      });
    } else if (
      day < date_discovered ||
      (parseInstant(text) ?? Number.POSITIVE_INFINITY) < parseInstant(discovered_at)!
    ) {
      yield remediationIssue('remediation.date_order', 'it was not discovered by then', {
        path,
        expected: `${discovered_at}, when it was discovered, or later`,
        found: text,
      });
    } else if (path !== '/estimated_patch_date' && isLater(text, at)) {
      yield remediationIssue('remediation.date_in_future', 'the date of an event is in the future', {
        path,
        expected: `at most ${at}`,
        found: text,
      });
    }
  }
  const patched = change.date_patched ?? record.date_patched;
  const deployed = change.deployed === undefined ? record.date_deployed : dayOf(change.deployed);
  if (patched && deployed && patched > deployed) {
    yield remediationIssue('remediation.date_order', 'it was deployed before it was patched', {
      path: '/date_deployed',
      expected: `${patched} or later`,
      found: deployed,
    });
  }
}

function isLater(stated: string, at: string): boolean {
  const instant = parseInstant(stated);
  return instant === undefined ? stated > dayOf(at)! : instant > parseInstant(at)!;
}

function* statusIssues(
  record: RemediationRecord,
  { vex_status: to, reason, decision }: RecordChange,
): Generator<RemediationIssue> {
  const from = record.vex_status;
  const path = '/vex_status';
  if (to === 'fixed' || to === 'not_affected') {
    const expected = to === 'fixed' ? 'a scan of a newer SBOM' : 'a signed VEX statement';
    const next = `colophon remediation close, with ${expected}`;
    yield remediationIssue('remediation.status_needs_proof', `${to} cannot be set by hand; it needs a proof`, {
      path,
      expected,
      next,
    });
  } else if (to !== undefined && to !== from) {
    // What is to be done about it is what the record decides.
    const decided = decision ?? record.decision;
    const action = decided === 'undecided' ? undefined : decided;
    for (const issue of transitionIssues(from, to, { reason, action })) yield { ...issue, path };
  }
}
