import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { promisedTests, promiseProblems } from './promised-tests.ts';

test('a row names a file and the titles in it', () => {
  expect(promisedTests('| x | `a/b.test.ts`: it holds; so does this |\n| | `c.test.ts`: one |')).toEqual([
    { path: 'a/b.test.ts', title: 'it holds' },
    { path: 'a/b.test.ts', title: 'so does this' },
    { path: 'c.test.ts', title: 'one' },
  ]);
});

test('a promise without its test is a problem', () => {
  const root = temporaryFolder(onTestFinished);
  mkdirSync(join(root, 'docs'));
  const write = (page: string) => writeFileSync(join(root, 'docs/security-model.md'), page);
  writeFileSync(join(root, 'a.test.ts'), "test('it holds', () => {});");
  write('| x | `a.test.ts`: it holds |');
  expect(promiseProblems(root)).toEqual([]);
  write('| x | `a.test.ts`: it holds; nothing |\n| y | `b.test.ts`: x |');
  expect(promiseProblems(root)).toEqual([
    'docs/security-model.md: a.test.ts has no test "nothing"',
    'docs/security-model.md: b.test.ts is not there',
  ]);
  write('nothing');
  expect(promiseProblems(root)).toHaveLength(1);
});
