import { existsSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../stryker.config.json' with { type: 'json' };
import suite from '../vitest.mutation.config.ts';
import { filesToTry, hasOnlyGrown, untriedFiles } from './mutation.ts';

const report = {
  files: {
    'a.ts': { mutants: [{ status: 'Survived' }, { status: 'Killed' }] },
    'b.ts': { mutants: [{ status: 'Ignored' }, { status: 'NoCoverage' }] },
    'c.ts': { mutants: [{ status: 'Timeout' }] },
    'd.ts': { mutants: [] },
  },
};

test('a file whose mutants died was tried', () => {
  expect(untriedFiles(['a.ts', 'c.ts'], report)).toEqual([]);
});

test.each(['b.ts', 'd.ts', 'renamed.ts'])('%s was not', (path) => {
  expect(untriedFiles(['a.ts', path], report)).toEqual([`${path}: no mutant of it was killed, so nothing was tried`]);
});

const NAMED = ['a/x.ts', 'a/y.ts', 'b/z.ts'];
const CONFIG = { mutate: NAMED, concurrency: 2 };

test.each([
  ['the file itself', ['a/x.ts', 'b/other.ts'], ['a/x.ts']],
  ['a test beside it', ['a/y.test.ts'], ['a/x.ts', 'a/y.ts']],
  ['how they are tried', ['vitest.mutation.config.ts'], NAMED],
  ['something else', ['a/index.ts', 'README.md', 'c/z.test.ts'], []],
])('mutants are tried where this changed: %s', (_what, changed, expected) => {
  expect(filesToTry(CONFIG, changed, CONFIG)).toEqual(expected);
});

test.each([
  ['another setting', { ...CONFIG, concurrency: 1 }, NAMED],
  ['fewer files', { ...CONFIG, mutate: NAMED.slice(1) }, NAMED.slice(0, 1)],
  ['more files', { ...CONFIG, mutate: [...NAMED, 'b/gone.ts'] }, []],
  ['nothing at all', undefined, NAMED],
])('of a configuration that had %s before', (_what, before, expected) => {
  expect(filesToTry(CONFIG, ['stryker.config.json'], before)).toEqual(expected);
});

test.each([
  ['3\t0\tvitest.mutation.config.ts', true],
  ['3\t1\tvitest.mutation.config.ts', false],
  ['0\t1\tvitest.mutation.config.ts', false],
  ['', false],
])('a suite of which git says %j has only grown: %s', (numstat, has) => {
  expect(hasOnlyGrown(numstat)).toBe(has);
});

test('the test beside a file whose mutants are tried stands in the suite', () => {
  const patterns = suite.test?.include ?? [];
  const besides = config.mutate.map((path) => path.replace(/\.ts$/, '.test.ts'));
  const present = besides.filter((path) => existsSync(join(import.meta.dirname, '..', path)));
  expect(present.length).toBeGreaterThan(20);
  expect(present.filter((path) => !patterns.some((pattern) => matchesGlob(path, pattern)))).toEqual([]);
});
