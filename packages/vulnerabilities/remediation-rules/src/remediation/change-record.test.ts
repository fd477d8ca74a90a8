import { expect, test } from 'vitest';
import { BY, CLOSED_AT, codesOf, done, openedRecord } from '../../test/remediation-story.ts';
import { changeRecord, type RecordChange } from './change-record.ts';
import { parseRemediationRecord } from './parse-remediation-record.ts';
import { DEFAULT_REMEDIATION_POLICY } from './remediation-policy.ts';

const CONTEXT = { at: CLOSED_AT, by: 'eve@example.com', policy: DEFAULT_REMEDIATION_POLICY };
const change = (what: RecordChange, record = openedRecord()) => changeRecord(record, what, CONTEXT);

test('a change is an event with who, when, from and to', () => {
  const record = done(
    change({ decision: 'patch', patch_version: '2.17.1', vex_status: 'affected', reason: 'reachable' }),
  );
  expect(record).toMatchObject({ decision: 'patch', patch_version: '2.17.1', vex_status: 'affected' });
  expect(record.history.at(-1)).toEqual({
    at: CLOSED_AT,
    by: 'eve@example.com',
    action: 'updated',
    reason: 'reachable',
    changes: {
      decision: ['undecided', 'patch'],
      patch_version: [null, '2.17.1'],
      vex_status: ['under_investigation', 'affected'],
    },
  });
  expect(parseRemediationRecord(record)).toEqual({ ok: true, value: record });
});

test('a deployment has its day in UTC, and its instant where one was given', () => {
  expect(done(change({ deployed: '2026-11-11' }))).toMatchObject({ date_deployed: '2026-11-11', deployed_at: null });
  expect(done(change({ deployed: '2026-11-11T23:30:00-02:00' }))).toMatchObject({
    date_deployed: '2026-11-12',
    deployed_at: '2026-11-12T01:30:00Z',
    days_to_remediate: 10,
    sla_compliance: 'overdue',
  });
});

test('an event is never earlier than the one before it', () => {
  const record = openedRecord();
  const behind = done(changeRecord(record, { owner: 'eve@example.com' }, { ...CONTEXT, at: '2026-11-02T07:59:00Z' }));
  expect(behind.history.map(({ at }) => at)).toEqual([record.history[0]!.at, record.history[0]!.at]);
});

test.each<[code: string, change: RecordChange]>([
  ['remediation.nothing_to_change', {}],
  ['remediation.nothing_to_change', { owner: BY }],
  ['remediation.nothing_to_change', { reason: 'none' }],
  ['remediation.owner_invalid', { owner: 'dana@' }],
  ['remediation.tracking_id_invalid', { tracking_id: '\u202e1-CES' }],
  ['remediation.text_invalid', { patch_version: 'x'.repeat(201) }],
  ['remediation.text_invalid', { decision: 'patch', reason: ' \u200b' }],
  ['remediation.date_invalid', { estimated_patch_date: '2026-02-29' }],
  ['remediation.date_invalid', { estimated_patch_date: '2026-12-01T00:00:00Z' }],
  ['remediation.date_invalid', { date_patched: '12.11.2026' }],
  ['remediation.date_invalid', { deployed: 'today' }],
  ['remediation.date_order', { estimated_patch_date: '2026-11-01' }],
  ['remediation.date_order', { date_patched: '2026-11-01' }],
  ['remediation.date_order', { date_patched: '2026-11-12', deployed: '2026-11-11' }],
  ['remediation.date_in_future', { date_patched: '2026-11-13' }],
  ['remediation.date_in_future', { deployed: '2026-11-12T09:00:00.001Z' }],
  ['remediation.status_needs_proof', { vex_status: 'fixed' }],
  ['remediation.status_needs_proof', { vex_status: 'not_affected' }],
  ['vex.transition_action_missing', { vex_status: 'affected' }],
])('%s: %j', (code, what) => {
  expect(codesOf(change(what))).toEqual([code]);
});

test('the dates that a record has hold for those that are added', () => {
  const record = done(change({ date_patched: '2026-11-10' }));
  expect(codesOf(change({ deployed: '2026-11-09' }, record))).toEqual(['remediation.date_order']);
  expect(done(change({ estimated_patch_date: '2027-01-31' }, record)).estimated_patch_date).toBe('2027-01-31');
});

test('what was decided is put in question again only for a reason', () => {
  const affected = done(change({ vex_status: 'affected', decision: 'patch' }));
  expect(codesOf(change({ vex_status: 'under_investigation' }, affected))).toEqual(['vex.transition_reason_missing']);
  const asked = done(change({ vex_status: 'under_investigation', reason: 'a new advisory' }, affected));
  expect(asked.vex_status).toBe('under_investigation');
});
