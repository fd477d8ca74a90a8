import { statSync } from 'node:fs';
import { ForgeError } from '../forge-error/forge-error.ts';
import { type GitOptions, runGit } from '../git/git.ts';
import { findCommit, listChangedFiles, openRepository, type Repository } from '../repository/repository.ts';

/** What changed from one commit to another (contract §2.3, `git`). */
export type ChangeFacts = {
  readonly commit_sha: string;
  readonly tree_sha: string;
  /** Paths, as many of them as are told; each once. */
  readonly files_changed: readonly string[];
  readonly files_changed_count: number;
  /** Lines of text files. */
  readonly lines_added: number;
  readonly lines_removed: number;
  /** Files of the working tree that are in no commit, or not as they are there; absent where nobody looked. */
  readonly uncommitted_count?: number;
};

/** Bytes of the paths that are told, so that an agent-run predicate stays a small document. */
export const MOST_PATH_BYTES = 64 * 1024;

/** For all that git does in a repository where somebody else may have put pipes that nobody writes to. */
const MOST_SHARED_MS = 5 * 60_000;

/**
 * What the repository's checked-out commit changed since `base`; everything in it where `base` is undefined, as before
 * the first commit. Undefined where there is no commit yet.
 *
 * The working tree is looked at only in a repository of this user, and only if nobody else is known to write there: git
 * runs the programs that the repository's configuration names, and reads that anew with each command.
 * @throws ForgeError; also where it takes longer than `withinMs` in such a repository
 */
export async function changeSince(
  { root }: Pick<Repository, 'root'>,
  base: string | undefined,
  { isShared = false, withinMs = MOST_SHARED_MS }: { readonly isShared?: boolean; readonly withinMs?: number } = {},
): Promise<ChangeFacts | undefined> {
  const signal = isShared ? AbortSignal.timeout(withinMs) : undefined;
  try {
    return await readChange(root, base, isShared, { signal });
  } catch (error) {
    if (signal === undefined || error !== signal.reason) throw error;
    throw new ForgeError('forge.git_failed', `git has not answered for ${withinMs / 1000} seconds`, { cause: error });
  }
}

async function readChange(
  root: string,
  base: string | undefined,
  isShared: boolean,
  options: GitOptions,
): Promise<ChangeFacts | undefined> {
  const repository = await openRepository(root, options);
  const head = repository.head;
  if (head === undefined) return undefined;
  const change = await changeBetween(repository, base, head, options);
  if (repository.isBare) return { ...change, uncommitted_count: 0 };
  if (isShared || !(await isOwn(repository, options))) return change;
  return { ...change, uncommitted_count: (await listUncommitted(repository, options)).size };
}

/** What one commit changed since its first parent. @throws ForgeError */
export async function changeOf(
  repository: Pick<Repository, 'root'>,
  commit: string,
  options: GitOptions = {},
): Promise<ChangeFacts> {
  const parent = await findCommit(repository.root, `${commit}^1`, options);
  return { ...(await changeBetween(repository, parent, commit, options)), uncommitted_count: 0 };
}

async function changeBetween(
  { root }: Pick<Repository, 'root'>,
  base: string | undefined,
  head: string,
  options: GitOptions,
): Promise<Omit<ChangeFacts, 'uncommitted_count'>> {
  const tree = await runGit(root, ['rev-parse', '--verify', `${head}^{tree}`], options);
  const ends = base === undefined ? ['--root', head] : [base, head];
  const listed = await runGit(
    root,
    ['diff-tree', '-r', '-M', '--no-commit-id', '--numstat', '-z', '--no-ext-diff', '--no-textconv', ...ends],
    options,
  );
  return { commit_sha: head, tree_sha: tree.toString().trim(), ...countChanges(listed.toString()) };
}

/** `added TAB removed TAB path NUL`, or of a file that was renamed `added TAB removed TAB NUL old NUL new NUL`; `-` of a binary file. */
function countChanges(numstat: string) {
  const fields = numstat.split('\0');
  const told: string[] = [];
  const counts = { files_changed_count: 0, lines_added: 0, lines_removed: 0 };
  let bytes = 0;
  for (const [i, field] of fields.entries()) {
    const [, added = '', removed = '', path = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
    if (added === '') continue;
    const name = path === '' ? fields[i + 2]! : path;
    counts.files_changed_count += 1;
    counts.lines_added += Number(added) || 0;
    counts.lines_removed += Number(removed) || 0;
    bytes += Buffer.byteLength(name);
    if (bytes <= MOST_PATH_BYTES) told.push(name);
  }
  return { files_changed: told, ...counts };
}

async function isOwn({ root }: Repository, options: GitOptions): Promise<boolean> {
  const gitFolder = await runGit(root, ['rev-parse', '--absolute-git-dir'], options);
  const uid = process.getuid?.();
  return [root, gitFolder.toString().replace(/\n$/, '')].every(
    (path) => uid === undefined || statSync(path).uid === uid,
  );
}

async function listUncommitted(repository: Repository, options: GitOptions): Promise<ReadonlySet<string>> {
  const added = await runGit(repository.root, ['ls-files', '--others', '--exclude-standard', '-z'], options);
  const untracked = added.toString().split('\0').filter(Boolean);
  return new Set([...(await listChangedFiles(repository, options)), ...untracked].filter(Boolean));
}
