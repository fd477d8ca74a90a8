import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assertSourceOf } from './tagged-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'colophon-tagged-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

const git = (...args: string[]) => {
  const person = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  execFileSync('git', [...person, ...args], { cwd: folder, stdio: 'ignore' });
};
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

test('a release is made of the commit that its tag names, and of no other file', () => {
  git('init');
  write('.gitignore', 'dist\n');
  git('add', '.');
  git('commit', '--message', 'first');
  expect(() => assertSourceOf('v1.0.0', folder)).toThrow('v1.0.0');
  git('tag', '--annotate', '--message', 'of another object than the commit', 'v1.0.0');
  write('dist', 'ignored');
  assertSourceOf('v1.0.0', folder);

  git('config', 'status.showUntrackedFiles', 'no');
  write('untracked', '');
  expect(() => assertSourceOf('v1.0.0', folder)).toThrow('?? untracked');
  git('add', '.');
  expect(() => assertSourceOf('v1.0.0', folder)).toThrow('A  untracked');
  git('commit', '--message', 'second');
  expect(() => assertSourceOf('v1.0.0', folder)).toThrow('v1.0.0 is ');
  git('tag', 'v1.1.0');
  assertSourceOf('v1.1.0', folder);
});
