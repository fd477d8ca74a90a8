import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

test('a folder is made with those above it, for its owner alone, and may be there already', () => {
  const path = join(temporaryFolder(onTestFinished), 'a', 'b', 'c');
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('a file in the way is an error', () => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'))).toThrow(/EEXIST/);
  expect(() => makeFolder(join(folder, 'file', 'below'))).toThrow(/ENOTDIR|EEXIST/);
});

test('where no folder can be made, that is said at once', () => {
  expect(() => makeFolder('/proc/colophon/data')).toThrow(/ENOENT/);
});
