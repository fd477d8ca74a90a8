import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Change, makeChange } from './change.ts';

const scratch = mkdtempSync(join(tmpdir(), 'colophon-change-'));
const path = process.env['PATH'];

afterEach(() => {
  process.env['PATH'] = path;
  rmSync(scratch, { recursive: true, force: true });
});

beforeEach(() => mkdirSync(scratch, { recursive: true }));

async function changeWithoutGit(folder: string): Promise<Change> {
  process.env['PATH'] = scratch;
  const change = await makeChange(folder);
  process.env['PATH'] = path;
  return change;
}

test('where git is not installed the agent writes the same files, with a patch that git takes back and applies', async () => {
  const there = join(scratch, 'there');
  const made = await makeChange(there);
  const bare = await changeWithoutGit(join(scratch, 'bare'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: there, encoding: 'utf8' });
  // Only this one reads its input: another may end before it is written.
  const apply = (...flags: string[]) =>
    execFileSync('git', ['apply', ...flags], { cwd: there, encoding: 'utf8', input: bare.patch });
  expect(made.isRepository).toBe(true);
  expect(bare).toMatchObject({ isRepository: false, commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
  expect([...bare.files].sort()).toEqual([...made.files].sort());
  apply('--reverse', '--index');
  expect(git('diff', '--cached', '--stat', 'HEAD~1')).toBe('');
  apply('--index');
  expect(git('status', '--porcelain')).toBe('');
  const [added, removed] = apply('--numstat', '--reverse')
    .trim()
    .split('\n')
    .map((line) => line.split('\t').map(Number))
    .reduce(([more = 0, less = 0], [one = 0, other = 0]) => [more + one, less + other], [0, 0]);
  expect([bare.linesRemoved, bare.linesAdded]).toEqual([added, removed]);
});

test.each([
  ['may not be run', 0o644],
  ['fails', 0o755],
])('a git that %s is as none', async (_how, mode) => {
  writeFileSync(join(scratch, 'git'), '#!/bin/false\n', { mode });
  expect(await changeWithoutGit(join(scratch, 'bare'))).toMatchObject({ isRepository: false });
});
