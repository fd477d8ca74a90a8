import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { readRegularFile } from './regular-file.ts';

const folder = () => temporaryFolder(onTestFinished);

test('a file is read whole, through links too', () => {
  const path = join(folder(), 'file');
  writeFileSync(path, 'what it holds');
  symlinkSync(path, `${path}.link`);
  for (const name of [path, `${path}.link`]) expect(readRegularFile(name, 13).toString()).toBe('what it holds');
});

test('an empty file has no bytes', () => {
  const path = join(folder(), 'empty');
  writeFileSync(path, '');
  expect(readRegularFile(path, 0)).toHaveLength(0);
});

test('a file that is larger than is read is refused, however little of it is on the disk', () => {
  const path = join(folder(), 'sparse');
  writeFileSync(path, '');
  truncateSync(path, 2 ** 33);
  expect(() => readRegularFile(path, 1024)).toThrow(RangeError);
});

test('a pipe that nobody writes to is refused, and not waited for', () => {
  const path = join(folder(), 'pipe');
  execFileSync('mkfifo', [path]);
  expect(() => readRegularFile(path, 1024)).toThrow(RangeError);
});

test('a folder is no file, and what is not there has the system’s error', () => {
  const path = join(folder(), 'folder');
  mkdirSync(path);
  expect(() => readRegularFile(path, 1024)).toThrow(RangeError);
  expect(() => readRegularFile(join(path, 'none'), 1024)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});
