import { ForgeError } from '../forge-error/forge-error.ts';
import { type GitOptions, runGit } from '../git/git.ts';
import { findCommit, type Repository } from '../repository/repository.ts';

/** Commits whose changes are looked at. */
export type CommitRange = {
  /** As a person would write it. */
  readonly name: string;
  /** The last commit: what the files look like after the range. */
  readonly to: string;
  /** All of the range, the oldest first. */
  readonly commits: readonly string[];
  /** What was there before: a rule that a repository states about itself counts as it stands there. Undefined where all of
   * a history is looked at and no remote has a default branch. */
  readonly base: string | undefined;
};

/** Branches that work is merged into, the likeliest first. */
const UPSTREAMS = ['refs/remotes/origin/HEAD', 'refs/remotes/origin/main', 'refs/remotes/origin/master'];

/**
 * Reads a range: `A..B` (what B has and A has not), `A...B` (since both parted), or one commit (its own changes).
 * Without one: what HEAD has and the remote's default branch has not, or all of HEAD where that is nothing or there is
 * no remote, so that no check is ever an empty one.
 * @throws ForgeError `forge.no_commits`, `forge.unknown_revision`, `forge.shallow_history`
 */
export async function resolveRange(
  repository: Repository,
  range: string | undefined,
  options: GitOptions = {},
): Promise<CommitRange> {
  const found = await findRange(repository, range, options);
  refuseCut(repository, found);
  return found;
}

/**
 * Reads the name of one commit whose own changes can be seen.
 * @throws ForgeError `forge.no_commits`, `forge.unknown_revision`, `forge.shallow_history`
 */
export async function resolveCommit(repository: Repository, name: string, options: GitOptions = {}): Promise<string> {
  if (name === 'HEAD' && repository.head === undefined) throw noCommits();
  const commit = await commitOf(repository.root, name, options);
  refuseCut(repository, { name, commits: [commit] });
  return commit;
}

function refuseCut({ shallowCommits }: Repository, { name, commits }: Pick<CommitRange, 'name' | 'commits'>): void {
  const cut = commits.find((commit) => shallowCommits.has(commit));
  if (cut === undefined) return;
  throw new ForgeError(
    'forge.shallow_history',
    `the history of this clone begins inside ${name}: what ${cut} changed cannot be seen; fetch more of it (git fetch --unshallow, fetch-depth: 0)`,
  );
}

function noCommits(): ForgeError {
  return new ForgeError('forge.no_commits', 'the repository has no commit yet');
}

async function findRange(
  { root, head }: Repository,
  range: string | undefined,
  options: GitOptions,
): Promise<CommitRange> {
  if (range === undefined) {
    if (head === undefined) throw noCommits();
    return defaultRange(root, head, options);
  }
  const parts = /^(.*?)(\.{2,3})(.*)$/s.exec(range);
  if (parts === null) {
    const to = await commitOf(root, range, options);
    return { name: range, to, commits: [to], base: await findCommit(root, `${to}^`, options) };
  }
  const [, left = '', dots, right = ''] = parts;
  const to = await commitOf(root, right || 'HEAD', options);
  const from = await commitOf(root, left || 'HEAD', options);
  const bases = dots === '..' ? [from] : await mergeBases(root, from, to, options);
  const commits = await listCommits(root, [to, ...bases.map((base) => `^${base}`)], options);
  return { name: range, to, commits, base: bases[0] };
}

/** Where two branches parted, `A...B` wants what only B has. */
async function mergeBases(root: string, from: string, to: string, options: GitOptions): Promise<string[]> {
  const bases = await runGit(root, ['merge-base', '--all', from, to], options).catch(() => Buffer.from(''));
  return bases.toString().split('\n').filter(Boolean);
}

async function defaultRange(root: string, head: string, options: GitOptions): Promise<CommitRange> {
  let base: string | undefined;
  for (const upstream of UPSTREAMS) {
    base = await findCommit(root, upstream, options);
    if (base === undefined) continue;
    const commits = await listCommits(root, [head, `^${base}`], options);
    if (commits.length > 0) return { name: `${upstream.replace('refs/remotes/', '')}..HEAD`, to: head, commits, base };
    break;
  }
  return { name: 'HEAD', to: head, commits: await listCommits(root, [head], options), base };
}

async function listCommits(root: string, revisions: readonly string[], options: GitOptions): Promise<string[]> {
  const input = `${revisions.join('\n')}\n`;
  const listed = await runGit(root, ['rev-list', '--topo-order', '--reverse', '--stdin'], { ...options, input });
  return listed.toString().split('\n').filter(Boolean);
}

async function commitOf(root: string, name: string, options: GitOptions): Promise<string> {
  const found = await findCommit(root, name, options);
  if (found === undefined)
    throw new ForgeError('forge.unknown_revision', `there is no commit ${JSON.stringify(name)} here`);
  return found;
}
