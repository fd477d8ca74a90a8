import type { ReportNotes } from '@colophon/records';
import { expect, test } from 'vitest';
import { notedInputs, notesDifferences } from './report-inputs.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string, string];
const NOTES = {
  period: '2026-Q4',
  inputs: [
    { file: 'a.json', digest: A },
    { file: 'b.json', digest: B },
  ],
  catalog: { file: 'kev.json', digest: C, version: '1' },
} as unknown as ReportNotes;
const none = { ...NOTES, catalog: null } as ReportNotes;
const told = (found: object, expected = NOTES) =>
  notesDifferences(expected, found as Partial<ReportNotes>, 'notes.json').map(
    ({ code, path, expected: wanted, found: actual }) => [code, path, wanted, actual],
  );
const catalog = (more: object) => ({ ...NOTES, catalog: { ...NOTES.catalog, ...more } });

test('inputs are each once, and by name', () => {
  const [a, b] = NOTES.inputs;
  expect(notedInputs([b!, a!, b!])).toEqual([a, b]);
  // Of a document with kinds and more, these two are noted.
  expect(notedInputs([{ ...a!, kinds: ['vex'] } as never])).toEqual([a]);
});

/** What is told, by code and place. */
const places = (...asked: Parameters<typeof told>) => told(...asked).map(([code, path]) => `${code} ${path}`);

test('notes that say what follows differ in nothing', () => {
  expect(told(NOTES)).toEqual([]);
  expect(told(none, none)).toEqual([]);
});

test('each input with another digest is told by its name, with both', () => {
  const inputs = [{ file: 'a.json', digest: C }, NOTES.inputs[1]];
  expect(told({ ...NOTES, inputs })).toEqual([['report.input_differs', 'a.json', C, A]]);
  expect(told(catalog({ digest: A }))).toEqual([['report.input_differs', 'kev.json', A, C]]);
});

test('an input that is not there, or that the notes do not name, is told, by name in order', () => {
  const inputs = [
    { file: 'b.json', digest: B },
    { file: 'z-gone.json', digest: C },
  ];
  expect(told({ ...NOTES, inputs })).toEqual([
    ['report.input_differs', 'a.json', expect.stringContaining('no digest'), A],
    ['report.input_differs', 'z-gone.json', C, expect.stringContaining('no such file')],
  ]);
});

test('what differs beside the inputs is told as well, and the digests once', () => {
  const inputs = [NOTES.inputs[0], { file: 'b.json', digest: A }];
  expect(told({ ...catalog({ version: '2' }), inputs, period: '2026-Q3' })).toEqual([
    ['report.input_differs', 'b.json', A, B],
    ['report.note_differs', 'period', '"2026-Q4"', '"2026-Q3"'],
    ['report.note_differs', 'catalog.version', '"1"', '"2"'],
  ]);
});

test('a catalog on one side alone is told as a note', () => {
  expect(places({ ...NOTES, catalog: null })).toEqual(['report.note_differs catalog']);
  expect(places(NOTES, none)).toEqual(['report.note_differs catalog']);
  expect(places({ ...NOTES, catalog: null, inputs: [] })).toEqual([
    'report.input_differs a.json',
    'report.input_differs b.json',
    'report.note_differs catalog',
  ]);
});

test.each<[what: string, found: object]>([
  ['no inputs', { ...NOTES, inputs: undefined }],
  ['inputs that are no list', { ...NOTES, inputs: 'a.json' }],
  ['an input that is none', { ...NOTES, inputs: [null] }],
  ['an input without a name', { ...NOTES, inputs: [{ digest: A }] }],
  ['an input without a digest', { ...NOTES, inputs: [{ file: 'a.json' }] }],
  ['a catalog without a digest', catalog({ digest: undefined })],
])('notes with %s do not state what they follow from', (_, found) => {
  expect(told(found)).toEqual([
    ['report.inputs_missing', 'notes.json', expect.stringContaining('digest'), expect.stringContaining('every')],
  ]);
});

test('inputs in another order, twice, or with more in them are notes that differ', () => {
  const [a, b] = NOTES.inputs;
  for (const inputs of [
    [b, a],
    [a, b, b],
    [{ ...a, more: 1 }, b],
  ]) {
    expect(places({ ...NOTES, inputs })).toEqual(['report.note_differs inputs']);
  }
});
