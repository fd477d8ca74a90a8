import { gitRepository, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openRepository } from '../repository/repository.ts';
import { resolveRange } from './range.ts';

/** Commits 0 to 2 on main, side 3 and 4 from 1. */
function history() {
  const repository = gitRepository(onTestFinished);
  const commits = ['0', '1'].map((name) => repository.commit(name, { [name]: name }));
  repository.git('branch', 'side');
  commits.push(repository.commit('2', { 2: '2' }));
  repository.git('checkout', '--quiet', 'side');
  commits.push(repository.commit('3', { 3: '3' }), repository.commit('4', { 4: '4' }));
  const numbersOf = async (range: string | undefined, folder = repository.folder) => {
    const resolved = await resolveRange(await openRepository(folder), range);
    return resolved.commits.map((commit) => commits.indexOf(commit));
  };
  return { ...repository, commits, numbersOf };
}

test('a range has the commits that its end has and its beginning has not, the oldest first', async () => {
  const { numbersOf, commits } = history();
  expect(await numbersOf('main..side')).toEqual([3, 4]);
  expect(await numbersOf('main...side')).toEqual([3, 4]);
  expect(await numbersOf('side..main')).toEqual([2]);
  expect(await numbersOf(`${commits[0]}..`)).toEqual([1, 3, 4]);
  expect(await numbersOf('..main')).toEqual([2]);
  expect(await numbersOf('HEAD..HEAD')).toEqual([]);
});

test('one commit is a range of its own', async () => {
  const { numbersOf } = history();
  expect(await numbersOf('main')).toEqual([2]);
  expect(await numbersOf('HEAD~3')).toEqual([0]);
});

test('without a range it is what the remote does not have yet, and everything where that is nothing', async () => {
  const { folder, git, numbersOf, commits } = history();
  expect(await numbersOf(undefined)).toEqual([0, 1, 3, 4]);
  git('update-ref', 'refs/remotes/origin/main', commits[2] as string);
  expect(await numbersOf(undefined)).toEqual([3, 4]);
  git('checkout', '--quiet', '--detach', commits[2] as string);
  expect(await numbersOf(undefined, folder)).toEqual([0, 1, 2]);
});

test.each(['nope', '--all', '-x', 'main..nope', '', '\0', 'main:0', 'main^{tree}'])(
  '%j is no revision',
  async (range) => {
    const { numbersOf } = history();
    await expect(numbersOf(range)).rejects.toMatchObject({ code: 'forge.unknown_revision' });
  },
);

test('a repository without commits, and a folder without a repository, are told apart', async () => {
  const { folder } = gitRepository(onTestFinished);
  await expect(openRepository(folder).then((found) => resolveRange(found, undefined))).rejects.toMatchObject({
    code: 'forge.no_commits',
  });
  await expect(openRepository(temporaryFolder(onTestFinished))).rejects.toMatchObject({ code: 'forge.no_repository' });
  await expect(openRepository('/nonexistent')).rejects.toMatchObject({ code: 'forge.no_repository' });
});

test('a range that reaches to where a shallow clone begins is refused, a shorter one is not', async () => {
  const { folder, git, numbersOf } = history();
  const shallow = temporaryFolder(onTestFinished);
  git('clone', '--quiet', '--depth', '2', '--branch', 'side', `file://${folder}`, shallow);
  await expect(numbersOf(undefined, shallow)).rejects.toMatchObject({ code: 'forge.shallow_history' });
  await expect(numbersOf('HEAD~1', shallow)).rejects.toMatchObject({ code: 'forge.shallow_history' });
  expect(await numbersOf('HEAD~1..HEAD', shallow)).toEqual([4]);
});

test('a bare repository has no working tree', async () => {
  const { folder, git } = history();
  const bare = temporaryFolder(onTestFinished);
  git('clone', '--quiet', '--bare', `file://${folder}`, bare);
  expect(await openRepository(bare)).toMatchObject({ isBare: true });
  expect(await openRepository(folder)).toMatchObject({ isBare: false, shallowCommits: new Set() });
});
