import { createHash } from 'node:crypto';
import { gitRepository } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openRepository } from '../repository/repository.ts';
import { readWrittenFiles } from './written-file.ts';

const lines = (...texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');
const BODY = Array.from({ length: 12 }, (_, index) => `line ${index}`);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function written(folder: string, commit: string, ...paths: string[]) {
  const found = await readWrittenFiles(await openRepository(folder), new Map([[commit, new Set(paths)]]));
  return found.get(commit);
}

test('a file that nobody touched since is what the commit wrote, to the byte', async () => {
  const { folder, commit } = gitRepository(onTestFinished);
  const agent = commit('agent', { a: 'agent\n' });
  commit('other', { b: 'b\n' });
  const files = await written(folder, agent, 'a');
  const { versions, current, ...more } = files!.get('a')!;
  expect(versions).toMatchObject([{ commit: agent, object: current, hashes: { 'SHA-256': sha256('agent\n') } }]);
  expect(more).toEqual({ isEdited: false });
});

test('the newest commit that changed it is named, and an edit that nobody committed is told', async () => {
  const { folder, git, commit, write } = gitRepository(onTestFinished);
  const agent = commit('agent', { a: 'agent\n', b: 'agent\n', c: 'agent\n' });
  commit('first', { a: 'first\n' });
  const second = commit('second', { a: 'second\n' });
  git('rm', '--quiet', 'c');
  const third = commit('third');
  write('b', 'edited\n');
  const files = await written(folder, agent, 'a', 'b', 'c');
  expect(files!.get('a')).toMatchObject({ changedBy: second, isEdited: false, versions: [{ commit: agent }] });
  expect(files!.get('b')).toMatchObject({ isEdited: true, current: undefined });
  expect(files!.get('b')).not.toHaveProperty('changedBy');
  expect(files!.get('c')).toMatchObject({ changedBy: third, current: undefined });
});

test('a rebased commit is found by its patch, and a patch that differs in white space alone is another', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  commit('base', { a: lines(...BODY) });
  git('checkout', '--quiet', '-b', 'agent');
  const agent = commit('agent', { a: lines(...BODY.slice(0, 8), 'if (x):', '  y()', ...BODY.slice(8)) });
  git('checkout', '--quiet', 'main');
  commit('other', { a: lines('first', ...BODY) });
  git('cherry-pick', agent);
  const rebased = git('rev-parse', 'HEAD');
  const { versions, current } = (await written(folder, agent, 'a'))!.get('a')!;
  expect(versions.map((version) => version.commit)).toEqual([agent, rebased]);
  expect(versions[1]!.object).toBe(current);

  git('reset', '--quiet', '--hard', 'HEAD~1');
  commit('looks alike', { a: lines('first', ...BODY.slice(0, 8), 'if (x):', 'y()', ...BODY.slice(8)) });
  const other = (await written(folder, agent, 'a'))!.get('a')!;
  expect(other.versions.map((version) => version.commit)).toEqual([agent]);
});

test('a change is not told by a version before it that another was put in the place of', async () => {
  const { folder, git, commit, forge } = gitRepository(onTestFinished);
  const base = commit('base', { a: lines(...BODY), b: 'b\n' });
  const agent = commit('agent', { a: lines(...BODY, 'agent') });
  commit('later', { a: lines('first', ...BODY, 'agent') });
  expect((await written(folder, agent, 'a'))!.get('a')!.versions).toHaveLength(1);
  forge(git('rev-parse', `${base}:a`), git('rev-parse', `${base}:b`));
  await expect(written(folder, agent, 'a')).rejects.toMatchObject({ code: 'forge.object_corrupt' });
});

test('a commit that another was put in the place of is not there', async () => {
  const { folder, commit, forge } = gitRepository(onTestFinished);
  const agent = commit('agent', { a: 'agent\n' });
  forge(agent, commit('other', { a: 'other\n' }));
  expect(await written(folder, agent, 'a')).toBeUndefined();
});

test('a link is another content than a file of its text; what is not there has no version', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  commit('first', { a: 'a\n' });
  git('update-index', '--add', '--cacheinfo', `120000,${git('hash-object', '-w', 'a')},link`);
  git('commit', '--quiet', '-m', 'agent');
  const agent = git('rev-parse', 'HEAD');
  const files = await written(folder, agent, 'link', 'gone');
  expect(files!.get('link')!.versions).toMatchObject([{ object: `120000 ${git('rev-parse', 'HEAD:a')}` }]);
  expect(files!.get('gone')!.versions).toEqual([]);
  expect(await written(folder, 'f'.repeat(40), 'a')).toBeUndefined();
});

test('a change that wrote no line finds no other commit like it', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  commit('base', { a: 'a\n' });
  const agent = commit('agent');
  commit('later', { a: 'b\n' });
  git('commit', '--quiet', '--allow-empty', '-m', 'empty');
  expect((await written(folder, agent, 'a'))!.get('a')!.versions.map((version) => version.commit)).toEqual([agent]);
});

test('a history that is too long to be read finds nothing, and stops nothing', async () => {
  const { folder, commit } = gitRepository(onTestFinished);
  const agent = commit('agent', { a: 'agent\n' });
  for (let round = 0; round < 20; round++) commit('later', { a: `${round}\n` });
  const wanted = new Map([[agent, new Set(['a'])]]);
  const found = await readWrittenFiles(await openRepository(folder), wanted, { maxBytes: 2_000 });
  expect(found.get(agent)?.get('a')).toMatchObject({ versions: [{ commit: agent }] });
  expect(found.get(agent)?.get('a')).not.toHaveProperty('changedBy');
});
