import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openRepository } from '../repository/repository.ts';
import { blameFile, parsePorcelain } from './blame.ts';
import { unquotePath } from './quoted-path.ts';

const repository = () => gitRepository(onTestFinished);

test('every line has its commit, its old name and number; what is not committed belongs to nobody', async () => {
  const { folder, git, commit, write } = repository();
  const rest = Array.from({ length: 10 }, (_, i) => `line ${i}\n`).join('');
  const first = commit('first', { 'old.py': `a\nb\n${rest}` });
  git('mv', 'old.py', 'new.py');
  const second = commit('second', { 'new.py': `a\nB\n\tb\n${rest}` });
  write('new.py', `a\nB\n\tb\n${rest}mine\n`);
  const found = await openRepository(folder);
  const { lines, content } = await blameFile(found, 'new.py', 'working-tree');
  expect(content.toString()).toBe(`a\nB\n\tb\n${rest}mine\n`);
  expect(lines.slice(0, 3)).toEqual([
    { commit: first, path: 'old.py', line: 1 },
    { commit: second, path: 'new.py', line: 2 },
    // Whoever indents a line does not become its author.
    { commit: first, path: 'old.py', line: 2 },
  ]);
  expect(lines.at(-1)?.commit).toBeUndefined();
  expect((await blameFile(found, 'new.py', second)).lines).toEqual(lines.slice(0, -1));
});

test.each(['a b.py', 'quo"te\\.py', 'tab\t.py', 'new\nline.py', 'ünï.py', ':(glob)*.py', '-p'])(
  'a file called %j is blamed',
  async (path) => {
    const { folder, commit } = repository();
    const sha = commit('one', { [path]: 'x' });
    const { lines, content } = await blameFile(await openRepository(folder), path, sha);
    expect(lines).toEqual([{ commit: sha, path, line: 1 }]);
    expect(content.toString()).toBe('x\n');
  },
);

test('a repository cannot hide a commit from blame, nor have programs started', async () => {
  const { folder, git, commit, write } = repository();
  commit('first', { 'a.py': 'one = alpha + beta + gamma\n', '.gitattributes': '*.py diff=evil filter=e.v=il\n' });
  const second = commit('second', { 'a.py': 'one = alpha + beta + delta\n' });
  write('revs', `${second}\n`);
  write('evil.sh', '#!/bin/sh\ntouch ran\ncat "$1"\n');
  git('config', 'blame.ignoreRevsFile', 'revs');
  git('config', 'diff.evil.textconv', 'sh evil.sh');
  git('config', 'core.fsmonitor', 'sh evil.sh');
  for (const key of ['clean', 'smudge', 'process']) git('config', `filter.e.v=il.${key}`, 'sh evil.sh');
  git('config', 'filter.e.v=il.required', 'true');
  write('a.py', 'one = alpha + beta + delta\nmine\n');
  const { lines } = await blameFile(await openRepository(folder), 'a.py', 'working-tree');
  expect(lines.map((line) => line.commit)).toEqual([second, undefined]);
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

test('what is no porcelain has no lines', () => {
  expect(parsePorcelain(Buffer.from('\n\nfilename\n')).lines).toEqual([]);
  expect(unquotePath('"a\\tb\\303\\274\\"\\\\"')).toBe('a\tbü"\\');
});
