import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { gitRepository, temporaryFolder } from '@colophon/testkit';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { readAttributes } from '../attribute/attribute.ts';
import { blameFile } from '../blame/blame.ts';
import { readNotes } from '../note/note.ts';
import { listChangedFiles, openRepository } from '../repository/repository.ts';
import { runGit } from './git.ts';
import { readFileAt, readObjects } from './object.ts';

afterEach(() => vi.unstubAllEnvs());

test('more output than wanted is an error, and so is what git says', async () => {
  const { folder, commit } = gitRepository(onTestFinished);
  commit('one', { a: 'x'.repeat(100_000) });
  const code = (args: string[], options = {}) => runGit(folder, args, options).catch((error) => error.code);
  expect(await code(['cat-file', 'blob', 'HEAD:a'], { maxBytes: 1000 })).toBe('forge.output_too_large');
  expect(await code(['cat-file', 'blob', 'HEAD:b'])).toBe('forge.git_failed');
  expect(await code(['cat-file', 'blob', 'HEAD:a'], { signal: AbortSignal.abort(new Error('stop')) })).toBeUndefined();
});

test('a hook’s variables do not lead to another repository', async () => {
  const { folder, commit } = gitRepository(onTestFinished);
  const other = gitRepository(onTestFinished);
  const head = commit('one');
  vi.stubEnv('GIT_DIR', `${other.folder}/.git`);
  vi.stubEnv('GIT_WORK_TREE', other.folder);
  expect((await openRepository(folder)).head).toBe(head);
});

test('a commit has the parents that it names, whatever a graft or a replacement says', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  const first = commit('one', { a: 'agent\n' });
  const second = commit('two', { a: 'person\n' });
  const third = commit('three', { b: 'b\n' });
  mkdirSync(join(folder, '.git/info'), { recursive: true });
  writeFileSync(join(folder, '.git/info/grafts'), `${third} ${first}\n`);
  git('replace', '--graft', second);
  const log = await runGit(folder, ['log', '--format=%H', 'HEAD']);
  expect(log.toString().trim().split('\n')).toEqual([third, second, first]);
});

test('nor whatever a commit graph says', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  const commits = [commit('one', { a: 'agent\n' }), commit('two', { a: 'person\n' }), commit('three', { b: 'b\n' })];
  git('commit-graph', 'write', '--reachable', '--changed-paths');
  const path = join(folder, '.git/objects/info/commit-graph');
  const graph = readFileSync(path);
  const chunk = (name: string) => {
    const entry = graph.indexOf(name, 0, 'latin1');
    return Number(graph.readBigUInt64BE(entry + 4));
  };
  const places = [...commits].sort();
  // Tree, first parent, second parent, generation and date of each commit: the third one's parent is to be the first.
  const row = chunk('CDAT') + 36 * places.indexOf(commits[2]!);
  expect(graph.readUInt32BE(row + 20)).toBe(places.indexOf(commits[1]!));
  graph.writeUInt32BE(places.indexOf(commits[0]!), row + 20);
  createHash('sha1')
    .update(graph.subarray(0, -20))
    .digest()
    .copy(graph, graph.length - 20);
  rmSync(path);
  writeFileSync(path, graph);
  expect(git('log', '--format=%s')).toBe('three\none');
  const log = await runGit(folder, ['log', '--format=%H', 'HEAD', '--', 'a']);
  expect(log.toString().trim().split('\n')).toEqual([commits[1], commits[0]]);
});

test('no program that a repository names is started to say which files have changed', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  const spy = temporaryFolder(onTestFinished);
  commit('one', { a: 'a\n', '.gitattributes': '* filter=a=b.c diff=spy\n' });
  for (const key of ['filter.a=b.c.process', 'filter.a=b.c.clean', 'diff.spy.command', 'core.fsmonitor']) {
    git('config', key, `touch ${spy}/${key}; cat`);
  }
  git('config', 'filter.a=b.c.required', 'true');
  // As new as the index and of the same size: git has to look into it to say whether it is the same.
  const stamp = new Date();
  for (const file of ['a', '.gitattributes', '.git/index']) utimesSync(join(folder, file), stamp, stamp);
  const repository = await openRepository(folder);
  await listChangedFiles(repository);
  await blameFile(repository, 'a', 'working-tree');
  expect(readdirSync(spy)).toEqual([]);
});

test.each(['.', ''])('no program of the repository is started where PATH has the entry "%s"', async (entry) => {
  const { folder, commit } = gitRepository(onTestFinished);
  const head = commit('one');
  const spy = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'git'), `#!/bin/sh\ntouch ${spy}/ran\n`, { mode: 0o755 });
  vi.stubEnv('PATH', [entry, 'node_modules/.bin', process.env['PATH']].join(delimiter));
  expect((await openRepository(folder)).head).toBe(head);
  expect(readdirSync(spy)).toEqual([]);
});

test('a machine without git is told so', async () => {
  vi.stubEnv('PATH', temporaryFolder(onTestFinished));
  await expect(openRepository('/tmp')).rejects.toMatchObject({ code: 'forge.git_missing' });
});

test('objects are read in their order, and one that is missing is an error', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  commit('one', { a: 'a\n', b: '' });
  const names = [git('rev-parse', 'HEAD:b'), git('rev-parse', 'HEAD:a'), git('rev-parse', 'HEAD')];
  const objects = await readObjects(folder, names);
  expect(objects.map(({ kind }) => kind)).toEqual(['blob', 'blob', 'commit']);
  expect(objects.slice(0, 2).map(({ bytes }) => bytes.toString())).toEqual(['', 'a\n']);
  await expect(readObjects(folder, ['0'.repeat(40)])).rejects.toMatchObject({ code: 'forge.git_failed' });
  expect(await readFileAt(folder, 'HEAD', 'nope')).toBeUndefined();
});

test('notes are found by their commit; a reference that is not there has none', async () => {
  const { folder, git, commit } = gitRepository(onTestFinished);
  const first = commit('one');
  commit('two');
  git('notes', '--ref=ai', 'add', '-m', 'note', first);
  const repository = await openRepository(folder);
  const notes = await readNotes(repository, 'refs/notes/ai', () => true);
  expect([...notes].map(([commit, bytes]) => [commit, bytes.toString()])).toEqual([[first, 'note\n']]);
  expect(await readNotes(repository, 'refs/notes/other', () => true)).toEqual(new Map());
});

test('attributes are read for files of any name, as one commit has them', async () => {
  const { folder, commit } = gitRepository(onTestFinished);
  const one = commit('one', {
    '.gitattributes': 'gen/** linguist-generated\n*.v linguist-vendored=true\nno.v -linguist-vendored\n',
  });
  const paths = ['gen/new\nline', 'a.v', 'no.v', 'b'];
  const two = commit('two', { '.gitattributes': '* linguist-generated\n' });
  writeFileSync(join(folder, '.gitattributes'), '* linguist-vendored\n');
  const attributes = ['linguist-generated', 'linguist-vendored'];
  const repository = await openRepository(folder);
  const set = await readAttributes(repository, one, paths, attributes);
  expect([...set]).toEqual([
    ['gen/new\nline', 'linguist-generated'],
    ['a.v', 'linguist-vendored'],
  ]);
  expect([...(await readAttributes(repository, two, paths, attributes)).keys()]).toEqual(paths);
  expect([...(await readAttributes(repository, undefined, paths, attributes))]).toEqual([]);
  expect(readFileSync(join(folder, '.gitattributes'), 'utf8')).toBe('* linguist-vendored\n');
  expect((await runGit(folder, ['diff', '--cached', '--name-only'])).toString()).toBe('');
});
