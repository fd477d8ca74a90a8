import { gitRepository } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { resolveRange } from '../range/range.ts';
import { openRepository } from '../repository/repository.ts';
import { listTouchedFiles } from './touched-file.ts';

const TEXT = Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join('');

async function touched(folder: string, wanted: readonly string[], range?: string) {
  const repository = await openRepository(folder);
  return listTouchedFiles(repository, await resolveRange(repository, range), (sha) => wanted.includes(sha));
}

test('files are followed through renames by anybody, and those that are gone are left out', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  commit('human', { 'human.py': 'x\n' });
  const agent = commit('agent', { 'old.py': TEXT, 'gone.py': 'y\n', 'same.py': 'z\n' });
  git('mv', 'old.py', 'new.py');
  git('rm', '--quiet', 'gone.py');
  const renamed = commit('renamed');
  expect((await touched(folder, [agent])).files).toEqual([
    { path: 'new.py', kind: 'file', sameAt: renamed },
    { path: 'same.py', kind: 'file', sameAt: agent },
  ]);
  expect(await touched(folder, [])).toEqual({ files: [], unnameable: [] });
});

test('the commit where a file is the same is found, also where another branch had the last word', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  commit('base', { a: TEXT, b: '1\n' });
  git('checkout', '--quiet', '-b', 'side');
  commit('undone', { a: `${TEXT}more\n` });
  commit('undo', { a: TEXT });
  git('checkout', '--quiet', 'main');
  const agent = commit('agent', { a: `agent\n${TEXT}` });
  git('merge', '--quiet', '--no-edit', 'side');
  const { files } = await touched(folder, [agent]);
  expect(files).toHaveLength(1);
  expect(git('rev-parse', `${files[0]!.sameAt}:a`)).toBe(git('rev-parse', 'HEAD:a'));
});

test('what a merge itself changes counts as its own', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  commit('base', { a: '1\n' });
  git('checkout', '--quiet', '-b', 'side');
  commit('side', { a: '2\n' });
  git('checkout', '--quiet', 'main');
  commit('main', { a: '3\n' });
  expect(() => git('merge', '--quiet', 'side')).toThrow();
  const merge = commit('merge', { a: '4\n' });
  expect((await touched(folder, [merge])).files).toEqual([{ path: 'a', kind: 'file', sameAt: merge }]);
});

test('links and submodules are named as what they are', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  const first = commit('first', { a: 'a\n' });
  git('update-index', '--add', '--cacheinfo', `160000,${first},module`);
  git('update-index', '--add', '--cacheinfo', `120000,${git('hash-object', 'a')},link`);
  git('commit', '--quiet', '-m', 'agent');
  const agent = git('rev-parse', 'HEAD');
  expect((await touched(folder, [agent])).files.map(({ path, kind }) => [path, kind])).toEqual([
    ['link', 'link'],
    ['module', 'submodule'],
  ]);
});

test('a name that is no UTF-8 is told, and stays out', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  commit('first', { a: 'a\n' });
  const blob = git('hash-object', 'a');
  const { execFileSync } = await import('node:child_process');
  execFileSync('git', ['update-index', '-z', '--index-info'], {
    cwd: folder,
    input: Buffer.from(`100644 ${blob}\t\xff.py\0`, 'latin1'),
  });
  git('commit', '--quiet', '-m', 'agent');
  expect(await touched(folder, [git('rev-parse', 'HEAD')])).toEqual({ files: [], unnameable: ['\xff.py'] });
});
