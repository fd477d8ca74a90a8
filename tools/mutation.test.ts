import { existsSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../stryker.config.json' with { type: 'json' };
import suite from '../vitest.mutation.config.ts';
import { scoreOf, shuffled } from './mutation/sample.ts';
import { changesOf, filesToTry, hasOnlyGrown, sampledFiles, untriedFiles, verdictOn } from './mutation.ts';

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

test('a file that was moved without a change is not tried, and one that changed on the way is', () => {
  const { changed, moved } = changesOf('R100\ta/x.ts\tnew/x.ts\nR097\ta/y.ts\tnew/y.ts\nM\tb/z.ts\nD\tb/gone.ts\n');
  expect(changed).toEqual(['new/y.ts', 'b/z.ts', 'b/gone.ts']);
  const config = { ...CONFIG, mutate: ['new/x.ts', 'new/y.ts', 'b/z.ts'] };
  expect(filesToTry(config, changed, CONFIG, moved)).toEqual(['new/y.ts', 'b/z.ts']);
  expect(filesToTry(config, [], CONFIG)).toEqual(['new/x.ts', 'new/y.ts']);
});

const MUTANTS = Array.from({ length: 50 }, (_, id) => ({
  id: `${id}`,
  fileName: `a/${id % 3}.ts`,
  replacement: '{}',
  location: { start: { line: id, column: 1 } },
}));

test('a seed gives one order, whatever order mutants come in, and another seed another one', () => {
  expect(shuffled(MUTANTS.toReversed(), 'one')).toEqual(shuffled(MUTANTS, 'one'));
  expect(shuffled(MUTANTS, 'other')).not.toEqual(shuffled(MUTANTS, 'one'));
  expect(new Set(shuffled(MUTANTS, 'one'))).toEqual(new Set(MUTANTS));
});

const line = (status: string, place: string) => JSON.stringify({ status, place, replacement: 'a\n  b' });
const PLAN = JSON.stringify({ covered: 80, uncovered: 20 });

test('a sample counts what was tried, and what no test runs as living', () => {
  const tried = [line('NoCoverage', 'n'), line('Killed', 'a'), line('Timeout', 'b'), line('Survived', 'c')];
  const score = scoreOf([PLAN, ...tried, line('Killed', 'd'), '{"status":"Surv'].join('\n'));
  expect(score).toMatchObject({ isPlanned: true, covered: 80, uncovered: 20, tried: 4, dead: 3, percent: 60 });
  expect(score.living).toEqual(['c: a b']);
  expect(verdictOn({ ...score, margin: 0 }, 60).isGood).toBe(true);
  expect(verdictOn({ ...score, margin: 0 }, 61)).toMatchObject({
    isGood: false,
    lines: ['lives: c: a b', expect.any(String)],
  });
});

test('a sample is bad only where chance cannot make it so, and all mutants together have no margin', () => {
  const sampleOf = (covered: number, dead: number, alive: number) =>
    scoreOf(
      [
        JSON.stringify({ covered, uncovered: 0 }),
        ...Array.from({ length: dead }, (_, at) => line('Killed', `${at}`)),
        ...Array.from({ length: alive }, (_, at) => line('Survived', `${at}`)),
      ].join('\n'),
    );
  expect(sampleOf(5000, 88, 12)).toMatchObject({ percent: 88, margin: expect.closeTo(9.65, 1) });
  expect(verdictOn(sampleOf(5000, 88, 12), 90).isGood).toBe(true);
  expect(verdictOn(sampleOf(5000, 880, 120), 90).isGood).toBe(true);
  expect(verdictOn(sampleOf(5000, 860, 140), 90).isGood).toBe(false);
  expect(verdictOn(sampleOf(100, 89, 11), 90).isGood).toBe(false);
});

test('a sample in which nothing was tried is good only where there is nothing to try', () => {
  expect(verdictOn(scoreOf(PLAN), 90).isGood).toBe(false);
  expect(verdictOn(scoreOf(''), 90).isGood).toBe(false);
  expect(verdictOn(scoreOf('{"covered":0,"uncovered":0}\n'), 90).isGood).toBe(true);
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

test('a sample has a bounded number of files, by its seed, whatever their order', () => {
  const files = Array.from({ length: 100 }, (_, n) => `${n}.ts`);
  const some = sampledFiles(files, 'seed', 70);
  expect(new Set(some).size).toBe(70);
  expect(sampledFiles(files.toReversed(), 'seed', 70)).toEqual(some);
  expect(sampledFiles(files, 'other', 70)).not.toEqual(some);
  expect(sampledFiles(files.slice(0, 3), 'seed', 70).sort()).toEqual(['0.ts', '1.ts', '2.ts']);
});
