import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { findEntry, listTree } from './tree.ts';

/** As git itself lists it. */
function listed(folder: string, commit: string) {
  const output = execFileSync('git', ['ls-tree', '-r', '-z', '--full-tree', commit], { cwd: folder });
  const entries = output.toString('latin1').split('\0').slice(0, -1);
  return entries.map((entry) => {
    const [, mode = '', object = '', name = ''] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(entry)!;
    return { mode, object, name };
  });
}

test('files, links, submodules and odd names are listed as git lists them', async () => {
  const { folder, git, write, commit } = gitRepository(onTestFinished);
  const inner = gitRepository(onTestFinished);
  inner.commit('inner', { a: 'a\n' });
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.folder, 'lib/sub');
  symlinkSync('a', join(folder, 'link'));
  write('run.sh', '#!/bin/sh\n');
  git('update-index', '--add', '--chmod=+x', 'run.sh');
  const files = ['a', 'a.b', 'a-b', 'b/c/d/e', 'b/c.d', 'b.c', 'B', 'line\nfeed', 'tab\there', 'ä', 'z/ä/日'];
  const head = commit('all', Object.fromEntries(files.map((name) => [name, `${name}\n`])));
  const expected = listed(folder, head);
  expect(expected).toHaveLength(files.length + 4);
  expect(await listTree(folder, head)).toEqual(expected);
  for (const entry of expected) expect(await findEntry(folder, head, entry.name)).toEqual(entry);
  for (const name of ['', 'b', 'b/c', 'b/', 'none', 'a/b', 'b/c/d/e/f', 'lib/sub/a']) {
    expect((await findEntry(folder, head, name))?.mode ?? '040000').toBe('040000');
  }
});

test('modes that old programs wrote are those of today', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  commit('one', { a: 'a\n' });
  const blob = Buffer.from(git('rev-parse', 'HEAD:a'), 'hex');
  const modes = ['100664', '100775', '100600'];
  const raw = Buffer.concat(modes.flatMap((mode, index) => [Buffer.from(`${mode} ${index}\0`), blob]));
  const hash = (kind: string, input: Buffer | string) =>
    execFileSync('git', ['hash-object', '-t', kind, '-w', '--literally', '--stdin'], { cwd: folder, input })
      .toString()
      .trim();
  const head = git('commit-tree', '-m', 'old', hash('tree', raw));
  expect(await listTree(folder, head)).toEqual(listed(folder, head));
  expect((await listTree(folder, head)).map(({ mode }) => mode)).toEqual(['100644', '100755', '100644']);
  const cut = git('commit-tree', '-m', 'cut', hash('tree', raw.subarray(0, -1)));
  await expect(listTree(folder, cut)).rejects.toMatchObject({ code: 'forge.git_failed' });
});

test('a repository may name its objects by SHA-256', async () => {
  const folder = temporaryFolder(onTestFinished);
  execFileSync('git', ['init', '--quiet', '--object-format=sha256', folder]);
  const { commit } = gitRepository(onTestFinished, folder);
  const head = commit('one', { 'a/b': 'b\n', c: 'c\n' });
  expect(head).toHaveLength(64);
  expect(await listTree(folder, head)).toEqual(listed(folder, head));
});

test('trees that name each other stand for no more files than are listed', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  commit('one', { a: 'a\n' });
  let line = `100644 blob ${git('rev-parse', 'HEAD:a')}`;
  for (let level = 0; level < 8; level += 1) {
    const input = Array.from({ length: 64 }, (_, index) => `${line}\t${index}\n`).join('');
    line = `040000 tree ${execFileSync('git', ['mktree'], { cwd: folder, input }).toString().trim()}`;
  }
  const bomb = git('commit-tree', '-m', 'bomb', line.split(' ')[2]!);
  await expect(listTree(folder, bomb, { maxBytes: 2 ** 22 })).rejects.toMatchObject({
    code: 'forge.output_too_large',
  });
});
