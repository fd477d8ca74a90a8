import { describe, expect, test } from 'vitest';
import { type Column, columnTable, widthOf } from './column-table.ts';

const write = () => {};
const terminal = (columns?: number, env: Record<string, string> = {}) => ({
  stdout: { write, ...(columns !== undefined && { columns }) },
  stderr: { write },
  env,
});
const NAMES: readonly Column[] = [
  { heading: 'ID', rank: 1 },
  { heading: 'NAME', rank: 1, shortest: 8 },
  { heading: 'TIME', rank: 2 },
  { heading: 'KIND', rank: 3 },
];
const ROW = ['CVE-2026-1', 'a-long-name-of-a-thing', '2026-11-23T10:00:00Z', 'entry'];
const at = (columns: number, wide = false, rows = [ROW]) =>
  columnTable(NAMES, rows, { terminal: terminal(columns), wide }).split('\n');

test('what fits is shown whole, without a word about it', () => {
  expect(at(80)).toEqual([
    'ID          NAME                    TIME                  KIND',
    'CVE-2026-1  a-long-name-of-a-thing  2026-11-23T10:00:00Z  entry',
    '',
  ]);
});

test('texts are shortened as far as they may be, then columns go by their rank, and a line says so', () => {
  expect(at(62).slice(1, 3)).toEqual([
    'CVE-2026-1  a-long-name-of-a-thi…  2026-11-23T10:00:00Z  entry',
    '--wide shows NAME in full',
  ]);
  expect(at(46)).toEqual([
    'ID          NAME          TIME',
    'CVE-2026-1  a-long-name…  2026-11-23T10:00:00Z',
    '--wide shows also: KIND; NAME in full',
    '',
  ]);
  expect(at(41).slice(0, 3)).toEqual([
    'ID          NAME',
    'CVE-2026-1  a-long-name-of-a-thing',
    '--wide shows also: TIME, KIND',
  ]);
});

test('what may not be shortened runs over rather than being cut', () => {
  expect(at(12)[1]).toBe('CVE-2026-1  a-long-…');
  expect(at(12)[2]).toBe('--wide shows every column in full');
});

test('--wide shows everything on any terminal', () => {
  expect(at(12, true)).toEqual(at(500));
});

test('a column that says nothing is left out, in silence', () => {
  expect(at(80, false, [['CVE-2026-1', '', '', 'entry']])).toEqual(['ID          KIND', 'CVE-2026-1  entry', '']);
});

test('a column of nothing but dashes goes before a text is cut, and stays where there is room', () => {
  const rows = [['CVE-2026-1', 'a-long-name-of-a-thing', '-', 'entry']];
  expect(at(48, false, rows)[0]).toBe('ID          NAME                    TIME  KIND');
  expect(at(42, false, rows)).toEqual([
    'ID          NAME                    KIND',
    'CVE-2026-1  a-long-name-of-a-thing  entry',
    '',
  ]);
  expect(at(42, true, rows)[0]).toContain('TIME');
});

test('no value of a list is cut in two', () => {
  const list = [
    { heading: 'ID', rank: 1 },
    { heading: 'FIXED IN', rank: 1, shortest: 10, isList: true },
  ];
  const shown = (columns: number, versions: string) =>
    columnTable(list, [['CVE-2026-1', versions]], { terminal: terminal(columns) }).split('\n')[1];
  expect(shown(30, '2.15.0, 2.12.2, 2.3.1')).toBe('CVE-2026-1  2.15.0, 2.12.2, …');
  expect(shown(22, '2.15.0, 2.12.2, 2.3.1')).toBe('CVE-2026-1  2.15.0, …');
  expect(shown(22, 'v0.0.0-20210921155107-089bfa567519')).toBe('CVE-2026-1  …');
});

test('of a name with a version the name is shortened', () => {
  const versioned = [
    { heading: 'ID', rank: 1 },
    { heading: 'COMPONENT', rank: 1, shortest: 10, isVersioned: true },
  ];
  const shown = (columns: number, component: string) =>
    columnTable(versioned, [['CVE-1', component]], { terminal: terminal(columns) }).split('\n')[1];
  expect(shown(27, 'pkg:npm/a-long-name@2.14.1')).toBe('CVE-1  pkg:npm/a-lo…@2.14.1');
  expect(shown(27, 'pkg:npm/%40scope/a-long-name')).toBe('CVE-1  pkg:npm/%40scope/a-…');
  // The version of the second is not that of the first.
  expect(shown(27, 'pkg:npm/a@1.0.0 in pkg:npm/b@2.0.0')).toBe('CVE-1  pkg:npm/a@1.0.0 in …');
  expect(shown(17, '@scope/a-long-name')).toBe('CVE-1  @scope/a-…');
  expect(shown(17, `image@sha256:${'a'.repeat(64)}`)).toBe('CVE-1  image@sha…');
});

test('of a name with what it rests on the name is shortened', () => {
  const based = [
    { heading: 'ID', rank: 1 },
    { heading: 'AGENT', rank: 1, shortest: 16, isBased: true },
  ];
  const shown = (columns: number, agent: string) =>
    columnTable(based, [['7', agent]], { terminal: terminal(columns) }).split('\n')[1];
  expect(shown(22, 'code-writer (declared)')).toBe('7   code-w… (declared)');
  expect(shown(22, 'code-writer (certificate)')).toBe('7   cod… (certificate)');
  expect(shown(22, 'a-name-with-no-source-of-it')).toBe('7   a-name-with-no-so…');
});

test('a column that is shown whole takes the room of the less important ones first', () => {
  const columns = [
    { heading: 'SIGNED BY', rank: 1, shortest: 10, isWhole: true },
    { heading: 'ARTIFACT', rank: 1, shortest: 8 },
    { heading: 'TIME', rank: 2 },
  ];
  const shown = (width: number) =>
    columnTable(columns, [['reviewer:alice@example.com', 'a-long-artifact', '2026-11-23T10:00:00Z']], {
      terminal: terminal(width),
    }).split('\n');
  expect(shown(60)[1]).toBe('reviewer:alice@example.com  a-long-ar…  2026-11-23T10:00:00Z');
  expect(shown(55)[1]).toBe('reviewer:alice@example.com  a-long-artifact');
  expect(shown(38)[1]).toBe('reviewer:alice@example.com  a-long-ar…');
  expect(shown(24)[1]).toBe('reviewer:alic…  a-long-…');
});

test('a list is never wider than its column, wherever it is cut', () => {
  const list = [
    { heading: 'ID', rank: 1 },
    { heading: 'FIXED IN', rank: 1, shortest: 10, isList: true },
  ];
  for (let columns = 22; columns < 44; columns += 1) {
    const view = { terminal: terminal(columns) };
    const [, row = ''] = columnTable(list, [['CVE-2026-1', '2.15.0, 2.12.2, 2.3.1, 1.0.0']], view).split('\n');
    expect(row.length, row).toBeLessThanOrEqual(columns);
  }
});

test('wide characters count as the two columns that they take', () => {
  const rows = [
    ['CVE-1', '日本語のとても長い名前', '', 'x'],
    ['CVE-2', 'ascii', '', 'y'],
  ];
  expect(at(20, false, rows).slice(0, 3)).toEqual(['ID     NAME', 'CVE-1  日本語のとて…', 'CVE-2  ascii']);
  expect(at(80, false, rows)[2]).toBe('CVE-2  ascii                   y');
});

test('a cell cannot begin a row, and a colour belongs to a whole row', () => {
  const painted = columnTable(
    NAMES,
    [['a\nb', 'c', '', '']],
    { terminal: terminal() },
    (line, row) => `<${row}${line}>`,
  );
  expect(painted).toBe('ID       NAME\n<0a\\u{a}b  c>\n');
});

describe('the width', () => {
  test.each([
    [120, {}, 120],
    [60, { COLUMNS: '200' }, 60],
    [undefined, { COLUMNS: '200' }, 200],
    [undefined, { COLUMNS: 'x' }, 80],
    [undefined, {}, 80],
  ])('of a terminal of %s columns, with %j, is %i', (columns, env, expected) => {
    expect(widthOf({ terminal: terminal(columns, env as Record<string, string>) })).toBe(expected);
  });
});
