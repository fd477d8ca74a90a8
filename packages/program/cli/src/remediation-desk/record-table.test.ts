import { expect, test } from 'vitest';
import { keptRecord, patchedRecord } from '../../test/report-records.ts';
import { recordTable } from './record-table.ts';

const RECORDS = [
  keptRecord({ component: 'a-component-with-a-long-name', due_at: '2026-10-12T08:00:00Z' }),
  patchedRecord('2026-10-06', { cve: 'CVE-2021-44228', owner: null, product: 'till\u001b[2J' }),
];
const on = (columns?: number, env: Record<string, string> = {}) => ({
  terminal: {
    stdout: { write: () => {}, ...(columns !== undefined && { columns }) },
    stderr: { write: () => {} },
    env,
  },
});
const longest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

test('a record is one line where that is not wider than the terminal, and with --wide', () => {
  const wide = recordTable(RECORDS, { ...on(), wide: true });
  expect(wide.trimEnd().split('\n')).toHaveLength(3);
  expect(recordTable(RECORDS, on(longest(wide)))).toBe(wide);
  expect(recordTable(RECORDS, on(longest(wide) - 1))).not.toBe(wide);
});

test.each([on(80), on(undefined, { COLUMNS: '80' }), on()])('80 columns hold everything', (narrow) => {
  const stacked = recordTable(RECORDS, narrow);
  expect(longest(stacked)).toBeLessThanOrEqual(80);
  for (const text of ['a-component-with-a-long-name', 'dana@example.com', 'no owner', '2026-10-12T08:00:00Z']) {
    expect(stacked).toContain(text);
  }
  expect(stacked).not.toContain('\u001b');
});

test('60 columns hold everything too, with the state below where it has no room', () => {
  const record = keptRecord({ due_at: '2026-10-12T08:00:00Z' });
  const critical = { ...record, remediation_priority: 'critical-exploited', sla_compliance: 'overdue' } as const;
  for (const columns of [58, 60, 70, 80]) {
    const stacked = recordTable([critical], on(columns));
    expect(longest(stacked), stacked).toBeLessThanOrEqual(columns);
    expect(stacked).toContain('OVERDUE 2026-10-12T08:00:00Z');
    expect(stacked).toContain(record.vex_status);
  }
});

test.each([4, 40, 80])('no name is lost on %i columns, however long it is', (columns) => {
  const component = 'org.example.'.repeat(12);
  const stacked = recordTable([keptRecord({ component })], on(columns));
  expect(stacked.replace(/\n {10}(?:in )?/g, '')).toContain(component);
});

test('no records are said to be none', () => {
  expect(recordTable([], on(80))).toBe('no records\n');
});
