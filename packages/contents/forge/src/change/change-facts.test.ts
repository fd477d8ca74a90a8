import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository, temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRepository } from '../repository/repository.ts';
import { changeOf, changeSince, MOST_PATH_BYTES } from './change-facts.ts';

function repository() {
  const repo = gitRepository(onTestFinished);
  const since = async (base: string | undefined) => changeSince(await openRepository(repo.folder), base);
  return { ...repo, since };
}

describe('what changed since a commit', () => {
  test('is counted over all commits from there', async () => {
    const repo = repository();
    const base = repo.commit('first', { 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n' });
    repo.commit('second', { 'a.txt': '1\n2\n' });
    const head = repo.commit('third', { 'c/ü b.txt': 'x\ny\n' });
    expect(await repo.since(base)).toEqual({
      commit_sha: head,
      tree_sha: repo.git('rev-parse', 'HEAD^{tree}'),
      files_changed: ['a.txt', 'c/ü b.txt'],
      files_changed_count: 2,
      lines_added: 2,
      lines_removed: 1,
      uncommitted_count: 0,
    });
  });

  test('before the first commit is everything in it, and nothing without one', async () => {
    const repo = repository();
    expect(await repo.since(undefined)).toBeUndefined();
    repo.commit('first', { 'a.txt': '1\n' });
    expect(await repo.since(undefined)).toMatchObject({ files_changed: ['a.txt'], lines_added: 1 });
  });

  test('has the new name of a renamed file, and a binary file without lines', async () => {
    const repo = repository();
    const base = repo.commit('first', { 'old.txt': '1\n2\n3\n4\n5\n' });
    repo.git('mv', 'old.txt', 'new.txt');
    repo.commit('second', { 'image.bin': new Uint8Array([0, 1, 2]) });
    expect(await repo.since(base)).toMatchObject({
      files_changed: ['image.bin', 'new.txt'],
      lines_added: 0,
      lines_removed: 0,
    });
  });

  test('counts what is in no commit apart from it', async () => {
    const repo = repository();
    const base = repo.commit('first', { 'a.txt': '1\n', '.gitignore': 'ignored\n' });
    repo.write('a.txt', '2\n');
    repo.write('new.txt', 'x');
    repo.write('ignored', 'x');
    expect(await repo.since(base)).toMatchObject({ commit_sha: base, files_changed_count: 0, uncommitted_count: 2 });
  });

  test('is told without the working tree where somebody else writes: no program of the repository is run', async () => {
    const repo = repository();
    const base = repo.commit('first', { 'a.txt': '1\n', '.gitattributes': '* filter=theirs\n' });
    repo.git('config', 'filter.theirs.clean', `touch ${repo.folder}/ran; cat`);
    repo.write('a.txt', '2\n');
    const shared = await changeSince({ root: repo.folder }, base, { isShared: true });
    expect(shared).toMatchObject({ commit_sha: base, files_changed_count: 0 });
    expect(shared).not.toHaveProperty('uncommitted_count');
    expect(existsSync(join(repo.folder, 'ran'))).toBe(false);
  });

  test('is given up where somebody else put a pipe in the way', async () => {
    const repo = repository();
    repo.commit('first', { 'a.txt': '1\n' });
    execFileSync('mkfifo', [join(repo.folder, 'pipe')]);
    repo.git('config', 'include.path', join(repo.folder, 'pipe'));
    const reading = changeSince({ root: repo.folder }, undefined, { isShared: true, withinMs: 200 });
    await expect(reading).rejects.toMatchObject({
      code: 'forge.git_failed',
      message: /has not answered for 0.2 seconds/,
    });
  });

  test.skipIf(process.getuid?.() !== 0).each(['.', '.git'])(
    'is told without the working tree where %s belongs to another user',
    async (name) => {
      const repo = repository();
      const base = repo.commit('first', { 'a.txt': '1\n' });
      repo.write('a.txt', '2\n');
      // Git itself refuses such a repository unless the user's configuration trusts it.
      const trusting = join(temporaryFolder(onTestFinished), 'gitconfig');
      writeFileSync(trusting, '[safe]\n\tdirectory = *\n');
      vi.stubEnv('GIT_CONFIG_GLOBAL', trusting);
      onTestFinished(() => void vi.unstubAllEnvs());
      chownSync(join(repo.folder, name), 65_534, 65_534);
      const facts = await repo.since(base);
      expect(facts).toMatchObject({ commit_sha: base });
      expect(facts).not.toHaveProperty('uncommitted_count');
    },
  );

  test('tells no more paths than fit, and counts all', async () => {
    const repo = repository();
    const base = repo.commit('first');
    const files = Array.from({ length: 400 }, (_, i) => [`${String(i).padStart(4, '0')}${'x'.repeat(196)}`, '1\n']);
    repo.commit('many', Object.fromEntries(files));
    const facts = (await repo.since(base))!;
    expect(facts.files_changed).toHaveLength(Math.floor(MOST_PATH_BYTES / 200));
    expect(facts).toMatchObject({ files_changed_count: 400, lines_added: 400 });
  });

  test('takes a base that is no ancestor', async () => {
    const repo = repository();
    const base = repo.commit('first', { 'a.txt': '1\n' });
    repo.git('checkout', '--quiet', '--orphan', 'other');
    repo.commit('unrelated', { 'b.txt': '1\n' });
    expect(await repo.since(base)).toMatchObject({ files_changed: ['b.txt'], lines_added: 1 });
  });
});

test('what one commit changed is told against its first parent', async () => {
  const repo = repository();
  const first = repo.commit('first', { 'a.txt': '1\n' });
  const second = repo.commit('second', { 'b.txt': '1\n2\n' });
  const opened = await openRepository(repo.folder);
  expect(await changeOf(opened, second)).toMatchObject({ files_changed: ['b.txt'], lines_added: 2 });
  expect(await changeOf(opened, first)).toMatchObject({ files_changed: ['a.txt'] });
});

test('a folder that is no repository is an error', async () => {
  await expect(changeSince({ root: temporaryFolder(onTestFinished) }, undefined)).rejects.toMatchObject({
    code: 'forge.no_repository',
  });
});
