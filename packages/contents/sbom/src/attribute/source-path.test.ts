import { expect, test } from 'vitest';
import type { Component } from '../document/bom.ts';
import { repositoryPath } from './repository-path.ts';
import { sourcePaths } from './source-path.ts';

test.each([
  ['src/a.ts', 'src/a.ts'],
  ['./src//a.ts', 'src/a.ts'],
  ['src\\win\\a.ts', 'src/win/a.ts'],
  ['lib/', 'lib'],
  ['../a', undefined],
  ['a/../../b', undefined],
  ['a\\..\\b', undefined],
  ['/etc/passwd', undefined],
  ['C:\\a', undefined],
  ['', undefined],
  ['.', undefined],
  ['a\u0000b', undefined],
  ['a\nb', undefined],
])('%j is the path %j of a repository', (text, path) => {
  expect(repositoryPath(text)).toBe(path);
});

test('what a scanner put before its paths comes off where it is known', () => {
  expect(repositoryPath('/builds/shop/src/a.ts', '/builds/shop')).toBe('src/a.ts');
  expect(repositoryPath('/builds/shopping/a.ts', '/builds/shop')).toBeUndefined();
  expect(repositoryPath('/src/a.ts', '/')).toBe('src/a.ts');
  expect(repositoryPath('src/a.ts', '/builds/shop')).toBe('src/a.ts');
});

const seen = (location: string) => ({ evidence: { occurrences: [{ location }] } });
const property = (name: string, value: string) => ({ properties: [{ name, value }] });
const LEFT_PAD = { name: 'left-pad', purl: 'pkg:npm/left-pad@1.3.0' };

test.each([
  ['a vendored component', { 'bom-ref': 'vendored:lib/pad' }, ['lib/pad']],
  ['a vendored component that leads out', { 'bom-ref': 'vendored:../pad' }, []],
  ['a file', { type: 'file', name: './src/a.ts' }, ['src/a.ts']],
  ['a package of a workspace', property('cdx:npm:package:path', 'packages/a'), ['packages/a']],
  ['the root of a workspace', property('cdx:npm:package:path', ''), []],
  ['code that was seen', seen('src/a.js'), ['src/a.js']],
  ['code that was seen, with lines', seen('src/a.js#12-20'), ['src/a.js']],
  ['a lockfile', seen('package-lock.json'), []],
  ['requirements', seen('api/requirements-dev.txt'), []],
  ['a package where it is imported', { ...LEFT_PAD, ...seen('src/a.js#1') }, []],
  ['a package where it lies', { ...LEFT_PAD, ...seen('third/left-pad/index.js') }, ['third/left-pad/index.js']],
  ['a package in one file', { ...LEFT_PAD, ...seen('js/left-pad.min.js') }, ['js/left-pad.min.js']],
  ['a package whose name is part of a word', { ...LEFT_PAD, ...seen('js/left-padding.js') }, []],
  [
    'a module by syft',
    { ...LEFT_PAD, ...property('syft:location:0:path', 'v/left-pad@1/x.js') },
    ['v/left-pad@1/x.js'],
  ],
  ['another property', property('SrcFile', 'src/a.ts'), []],
  ['junk', { properties: [null, { name: 1 }], evidence: { occurrences: 'x' } }, []],
])('%s', (_title, component, paths) => {
  expect(sourcePaths({ type: 'library', name: 'x', ...component } as Component).map(({ path }) => path)).toEqual(paths);
});
