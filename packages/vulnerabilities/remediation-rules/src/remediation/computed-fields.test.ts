import type { RemediationRecord } from '@colophon/records';
import { expect, test } from 'vitest';
import { openedRecord } from '../../test/remediation-story.ts';
import { computedFields } from './computed-fields.ts';

const OPEN = openedRecord();
const fixed = (more: Partial<RemediationRecord>): RemediationRecord => ({
  ...OPEN,
  state: 'closed',
  vex_status: 'fixed',
  due_at: '2026-11-09T08:00:00Z',
  ...more,
});

test.each([
  // With its time, a deployment is held to the hour.
  ['2026-11-09', '2026-11-09T08:00:00Z', 'within_sla'],
  ['2026-11-09', '2026-11-09T08:00:01Z', 'out_of_sla'],
  // Without, to the day.
  ['2026-11-09', null, 'within_sla'],
  ['2026-11-10', null, 'out_of_sla'],
])('deployed on %s, at %s, is %s', (date_deployed, deployed_at, sla) => {
  expect(computedFields(fixed({ date_deployed, deployed_at }), '2027-01-01T00:00:00Z').sla_compliance).toBe(sla);
});

test.each([
  ['2024-02-28', '2024-03-01', 2],
  ['2026-02-28', '2026-03-01', 1],
  ['2026-12-31', '2027-01-01', 1],
  ['2026-11-02', '2026-11-02', 0],
  // The clocks of many countries change between these.
  ['2026-10-24', '2026-10-26', 2],
])('from %s to %s it took %i days', (date_discovered, date_deployed, days) => {
  expect(computedFields(fixed({ date_discovered, date_deployed }), '2027-01-01T00:00:00Z').days_to_remediate).toBe(
    days,
  );
});

test.each([
  ['2026-11-09T08:00:00Z', 'pending'],
  ['2026-11-09T08:00:00.001Z', 'overdue'],
  ['2026-11-09T07:30:00-01:00', 'overdue'],
])('an open record is, at %s, %s', (at, sla) => {
  expect(computedFields({ ...OPEN, due_at: '2026-11-09T08:00:00Z' }, at)).toEqual({
    affected: true,
    days_to_remediate: null,
    sla_compliance: sla,
  });
});

test('without a due time nothing is overdue, in time or late', () => {
  expect(computedFields({ ...OPEN, due_at: null }, '2999-01-01T00:00:00Z').sla_compliance).toBe('pending');
  const done = fixed({ due_at: null, date_deployed: '2026-11-10' });
  expect(computedFields(done, '2999-01-01T00:00:00Z').sla_compliance).toBe('not_applicable');
});

test('what was deployed and not shown to be fixed is still open', () => {
  const deployed = { ...OPEN, date_deployed: '2026-11-03' };
  expect(computedFields(deployed, '2026-11-04T00:00:00Z')).toMatchObject({
    days_to_remediate: 1,
    sla_compliance: 'pending',
  });
});

test('what is not affected has no time to keep', () => {
  const record: RemediationRecord = { ...OPEN, state: 'closed', vex_status: 'not_affected' };
  expect(computedFields(record, '2999-01-01T00:00:00Z')).toMatchObject({
    affected: false,
    sla_compliance: 'not_applicable',
  });
});
