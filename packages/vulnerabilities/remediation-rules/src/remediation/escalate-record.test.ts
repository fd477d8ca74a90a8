import { expect, test } from 'vitest';
import { catalogOf, findingOf, openedRecord, scanOf } from '../../test/remediation-story.ts';
import { escalateRecord } from './escalate-record.ts';
import { parseRemediationRecord } from './parse-remediation-record.ts';

const CATALOG = catalogOf('CVE-2021-44228');
const opened = (score: number) => openedRecord({ scan: scanOf({ findings: [findingOf({ cvss: { score } })] }) });
const at = (time: string) => ({ at: time, by: 'colophon' });

test.each([
  // Discovered on 2 November at 08:00.
  [10, '2026-11-03T08:00:00Z', 'critical-exploited', '2026-11-04T08:00:00Z'],
  [10, '2026-11-09T00:00:00Z', 'critical-exploited', '2026-11-09T08:00:00Z'],
  [10, '2026-11-20T00:00:00Z', 'critical-exploited', '2026-11-09T08:00:00Z'],
  [7.5, '2026-11-03T08:00:00Z', 'high-exploited', '2026-11-05T08:00:00Z'],
  [5, '2026-11-03T08:00:00Z', 'high-exploited', '2026-11-05T08:00:00Z'],
])('scored %f and in the catalog at %s it is %s, and due at %s', (score, time, priority, due) => {
  const escalated = escalateRecord(opened(score), CATALOG, at(time));
  expect(escalated).toMatchObject({ cisa_kev: true, remediation_priority: priority, due_at: due });
  expect(escalated.history.at(-1)).toMatchObject({
    action: 'escalated',
    by: 'colophon',
    reason: expect.stringContaining('2026.11.05'),
  });
  expect(parseRemediationRecord(escalated)).toMatchObject({ ok: true });
});

test('it is found by its other names too', () => {
  const other = catalogOf('GHSA-jfh8-c2jp-5v3q');
  expect(escalateRecord(opened(10), other, at('2026-11-03T08:00:00Z')).cisa_kev).toBe(true);
});

test('a catalog that says nothing new changes nothing', () => {
  const record = opened(10);
  expect(escalateRecord(record, catalogOf('CVE-2020-0001'), at('2026-11-03T08:00:00Z'))).toBe(record);
  const escalated = escalateRecord(record, CATALOG, at('2026-11-03T08:00:00Z'));
  expect(escalateRecord(escalated, CATALOG, at('2026-11-04T08:00:00Z'))).toBe(escalated);
});

test('what leaves the catalog is as urgent as before, and its history says that it left', () => {
  const escalated = escalateRecord(opened(10), CATALOG, at('2026-11-03T08:00:00Z'));
  const left = escalateRecord(escalated, catalogOf(), at('2026-11-05T08:00:00Z'));
  expect(left).toMatchObject({ cisa_kev: false, remediation_priority: 'critical-exploited', due_at: escalated.due_at });
  expect(left.history.at(-1)!.changes).toEqual({ cisa_kev: [true, false] });
});
