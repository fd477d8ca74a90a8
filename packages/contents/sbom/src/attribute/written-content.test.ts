import { expect, test } from 'vitest';
import type { Component } from '../document/bom.ts';
import { contentNote, contentOf, type WrittenFile } from './written-content.ts';

const FILE = 'src/a.ts';
const hash = (digit: string) => digit.repeat(64);
const version = (commit: string, digit: string) => ({
  commit,
  object: `blob ${digit}`,
  hashes: { 'SHA-256': hash(digit), 'SHA-512': hash(digit).repeat(2) },
});
const WRITTEN: WrittenFile = { versions: [version('c1', '1'), version('c2', '2')], current: 'blob 1', isEdited: false };
const LATER: WrittenFile = { ...WRITTEN, current: 'blob 3', changedBy: 'c3' };
const of = (...hashes: ReadonlyArray<readonly [alg: string, content: string]>): Component => ({
  type: 'file',
  name: FILE,
  ...(hashes.length > 0 && { hashes: hashes.map(([alg, content]) => ({ alg, content })) }),
});

test.each<[string, Component, WrittenFile | undefined, string, string | undefined]>([
  ['nothing that shows it', of(), undefined, 'unknown', undefined],
  ['the repository has it still', of(), WRITTEN, 'same', 'c1'],
  ['the repository has what a rebased commit wrote', of(), { ...WRITTEN, current: 'blob 2' }, 'same', 'c2'],
  ['the repository has something else', of(), LATER, 'changed', 'c1'],
  ['the document’s hash is what was written, whatever came later', of(['SHA-256', hash('1')]), LATER, 'same', 'c1'],
  [
    'capitals in a hash',
    of(['SHA-256', hash('a').toUpperCase()]),
    { ...WRITTEN, versions: [version('c1', 'a')] },
    'same',
    'c1',
  ],
  ['the document’s hash is another, whatever the repository has', of(['SHA-256', hash('4')]), WRITTEN, 'changed', 'c1'],
  [
    'of two hashes one is another',
    of(['SHA-256', hash('1')], ['SHA-512', hash('2').repeat(2)]),
    WRITTEN,
    'changed',
    'c1',
  ],
  ['a weak hash beside a right one', of(['MD5', 'x'], ['SHA-256', hash('1')]), WRITTEN, 'same', 'c1'],
  ['a weak hash alone', of(['SHA-1', hash('1').slice(24)]), WRITTEN, 'unknown', 'c1'],
  ['a name of an algorithm that is none', of(['constructor', hash('1')]), WRITTEN, 'unknown', 'c1'],
  ['the commit took it out', of(), { versions: [], current: undefined, isEdited: false }, 'gone', undefined],
  [
    'the commit took it out, and it is back',
    of(),
    { versions: [], current: 'blob 1', isEdited: false },
    'changed',
    undefined,
  ],
])('%s', (_title, component, written, is, commit) => {
  expect(contentOf(component, FILE, written)).toMatchObject({ file: FILE, is, ...(commit && { commit }) });
});

test('whose change it is: an edit before a commit', () => {
  expect(contentOf(of(), FILE, LATER).changed_by).toBe('c3');
  expect(contentOf(of(), FILE, { ...LATER, current: undefined, isEdited: true }).changed_by).toBe('working tree');
});

test('a hash says nothing of a file inside the component; of the file itself it does, also behind a scanner’s root', () => {
  const folder: Component = { ...of(['SHA-256', hash('9')]), type: 'library', 'bom-ref': 'vendored:src' };
  expect(contentOf(folder, FILE, WRITTEN).is).toBe('same');
  expect(contentOf({ ...folder, 'bom-ref': `vendored:${FILE}` }, FILE, WRITTEN).is).toBe('changed');
  const rooted = { ...of(['SHA-256', hash('9')]), name: `/builds/shop/${FILE}` };
  expect(contentOf(rooted, FILE, WRITTEN, '/builds/shop').is).toBe('changed');
});

test('what is said of a file: where it was written, by its hash, or whose change it is', () => {
  expect(contentOf(of(), FILE, WRITTEN)).toEqual({ file: FILE, is: 'same', commit: 'c1', sha256: hash('1') });
  const [{ object, commit }] = WRITTEN.versions as [ReturnType<typeof version>];
  const unhashed = { ...WRITTEN, versions: [{ object, commit, hashes: {} }] };
  expect(contentOf(of(), FILE, unhashed)).toEqual({ file: FILE, is: 'same', commit: 'c1' });
  expect(contentOf(of(), FILE, LATER)).toEqual({ file: FILE, is: 'changed', commit: 'c1', changed_by: 'c3' });
  const { changedBy: _, ...nobody } = LATER;
  expect(contentOf(of(), FILE, nobody)).toEqual({ file: FILE, is: 'changed', commit: 'c1' });
  const back = { versions: [], current: 'blob 1', isEdited: false };
  expect(contentOf(of(), FILE, back)).toEqual({ file: FILE, is: 'changed' });
  expect(contentOf(of(), FILE, { ...back, changedBy: 'c3' })).toEqual({ file: FILE, is: 'changed', changed_by: 'c3' });
});

test('hashes that are none say nothing, whatever a document has in their place', () => {
  for (const hashes of [
    null,
    'x',
    [null],
    [{ alg: 'SHA-256' }],
    [{ content: hash('9') }],
    [{ alg: 1, content: 'x' }],
  ]) {
    expect(contentOf({ ...of(), hashes } as never, FILE, WRITTEN).is).toBe('same');
  }
});

test('a note says what became of the content, and who changed it', () => {
  const note = (more: object) => contentNote({ file: FILE, is: 'changed', ...more }, 'c1');
  expect(note({ changed_by: 'c3' })).toBe('src/a.ts is not what commit c1 wrote: changed by c3');
  expect(note({})).toBe('src/a.ts is not what commit c1 wrote: its hash in the document is of another content');
  expect(note({ is: 'unknown', commit: 'c1' })).toBe('src/a.ts: the document has no SHA-256, SHA-384 or SHA-512 of it');
  expect(note({ is: 'unknown' })).toBe('src/a.ts: nothing shows what commit c1 wrote there');
});
