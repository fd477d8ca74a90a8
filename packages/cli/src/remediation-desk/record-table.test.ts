import { expect, test } from 'vitest';
import { keptRecord, patchedRecord } from '../../test/report-records.ts';
import { recordTable } from './record-table.ts';

const RECORDS = [
  keptRecord({ component: 'a-component-with-a-long-name', due_at: '2026-10-12T08:00:00Z' }),
  patchedRecord('2026-10-06', { cve: 'CVE-2021-44228', owner: null, product: 'till\u001b[2J' }),
];
const terminal = (columns?: number, env: Record<string, string> = {}) => ({
  stdout: { write: () => {}, ...(columns !== undefined && { columns }) },
  stderr: { write: () => {} },
  env,
});
const longest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

test('a record is one line where that is not wider than the terminal, and where there is none', () => {
  const wide = recordTable(RECORDS, terminal());
  expect(wide.trimEnd().split('\n')).toHaveLength(3);
  expect(recordTable(RECORDS, terminal(longest(wide)))).toBe(wide);
  expect(recordTable(RECORDS, terminal(longest(wide) - 1))).not.toBe(wide);
});

test.each([terminal(80), terminal(undefined, { COLUMNS: '80' })])('80 columns hold everything', (narrow) => {
  const stacked = recordTable(RECORDS, narrow);
  expect(longest(stacked)).toBeLessThanOrEqual(80);
  for (const text of ['a-component-with-a-long-name', 'dana@example.com', 'no owner', '2026-10-12T08:00:00Z']) {
    expect(stacked).toContain(text);
  }
  expect(stacked).not.toContain('\u001b');
});

test('no records are said to be none', () => {
  expect(recordTable([], terminal(80))).toBe('no records\n');
});
