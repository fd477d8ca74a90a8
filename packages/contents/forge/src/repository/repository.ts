import { lstatSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRegularFile } from '@colophon/durable-file';
import { ForgeError } from '../forge-error/forge-error.ts';
import { type GitOptions, runGit } from '../git/git.ts';
import { filterSettings } from './filter-settings.ts';

/** A git repository on this machine. */
export type Repository = {
  /** The top of the working tree, or the repository itself where it is bare. */
  readonly root: string;
  readonly isBare: boolean;
  /** Where the history that is here begins: what these commits did cannot be told from what was there before. */
  readonly shallowCommits: ReadonlySet<string>;
  /** The commit that is checked out, or undefined before the first one. */
  readonly head: string | undefined;
  /** Filters that the repository's own configuration defines, as programs that git would run on the working tree. */
  readonly filters: readonly string[];
};

/**
 * Finds the repository that a folder lies in.
 * @throws ForgeError `forge.no_repository`, `forge.unsafe_directory`, `forge.git_missing`
 */
export async function openRepository(folder: string, options: GitOptions = {}): Promise<Repository> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ForgeError('forge.no_repository', `${folder} is no folder`);
  }
  const facts = await runGit(folder, ['rev-parse', '--is-bare-repository', '--is-shallow-repository'], options);
  const [bare, shallow] = facts.toString().trim().split('\n');
  const isBare = bare === 'true';
  const top = await runGit(folder, ['rev-parse', isBare ? '--absolute-git-dir' : '--show-toplevel'], options);
  const root = top.toString().replace(/\n$/, '');
  const shallowCommits = shallow === 'true' ? await readShallowCommits(root, options) : new Set<string>();
  const head = await findCommit(root, 'HEAD', options);
  return { root: resolve(root), isBare, shallowCommits, head, filters: await readFilters(root, options) };
}

/** What the user's configuration or the machine's defines is theirs to run. */
async function readFilters(root: string, options: GitOptions): Promise<readonly string[]> {
  // It ends with 1 where nothing matches, which `--list` does not.
  const listed = await runGit(root, ['config', '--includes', '--list', '--show-scope', '--name-only', '-z'], options);
  const parts = listed.toString().split('\0');
  const filters = new Set<string>();
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [, name] = /^filter\.(.*)\.[^.]*$/s.exec(parts[i + 1] ?? '') ?? [];
    if (name !== undefined && (parts[i] === 'local' || parts[i] === 'worktree')) filters.add(name);
  }
  return [...filters];
}

/** Of the list of commits at which a history begins, one in each line. */
const MOST_SHALLOW_BYTES = 64 * 1024 * 1024;

async function readShallowCommits(root: string, options: GitOptions): Promise<ReadonlySet<string>> {
  const path = await runGit(root, ['rev-parse', '--git-path', 'shallow'], options);
  let listed: Buffer;
  try {
    listed = readRegularFile(resolve(root, path.toString().replace(/\n$/, '')), MOST_SHALLOW_BYTES);
  } catch (cause) {
    throw new ForgeError('forge.git_failed', 'the list of shallow commits cannot be read', { cause });
  }
  return new Set(listed.toString().split('\n').filter(Boolean));
}

/** The commit that a name stands for, or undefined. */
export async function findCommit(folder: string, name: string, options: GitOptions = {}): Promise<string | undefined> {
  // What begins with a dash would be an option.
  if (name === '' || name.startsWith('-') || name.includes('\0')) return undefined;
  try {
    const found = await runGit(folder, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], options);
    return found.toString().trim();
  } catch (error) {
    if (error instanceof ForgeError && error.code === 'forge.git_failed') return undefined;
    throw error;
  }
}

/**
 * Files of the working tree that are not what HEAD has, or that git would have to read to say so. Inside submodules
 * nothing is looked at: their own configuration could start a program.
 * @throws ForgeError
 */
export async function listChangedFiles(
  { root, filters }: Repository,
  options: GitOptions = {},
): Promise<ReadonlySet<string>> {
  const settings = filterSettings(filters);
  const listed = await runGit(
    root,
    ['diff-index', '--name-only', '-z', '--no-ext-diff', '--ignore-submodules=dirty', 'HEAD'],
    {
      settings,
      ...options,
    },
  );
  return new Set([...listed.toString().split('\0'), ...(await listOverlooked(root, options))]);
}

/** Files that git was told not to look at, by `assume-unchanged` or `skip-worktree`, and that are there. */
async function listOverlooked(root: string, options: GitOptions): Promise<readonly string[]> {
  const listed = await runGit(root, ['ls-files', '-v', '-z'], options);
  return listed
    .toString()
    .split('\0')
    .filter((entry) => /^[a-zS] /.test(entry))
    .map((entry) => entry.slice(2))
    .filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined);
}
