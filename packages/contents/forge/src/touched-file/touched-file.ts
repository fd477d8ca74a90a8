import { type GitOptions, runGit } from '../git/git.ts';
import type { CommitRange } from '../range/range.ts';
import type { Repository } from '../repository/repository.ts';
import { listTree } from '../tree/tree.ts';
import { decodePath } from './path.ts';

/** A file at the end of a range. */
export type TouchedFile = {
  /** From the top of the repository, with `/`. */
  readonly path: string;
  /** A link or a submodule has no lines of its own. */
  readonly kind: 'file' | 'link' | 'submodule';
  /** A commit of the range whose version is the same to the byte: blame that begins there has less to walk. */
  readonly sameAt: string;
};

/** Files that some of a range's commits touched, and those whose names are no UTF-8, shown as well as can be. */
export type TouchedFiles = { readonly files: readonly TouchedFile[]; readonly unnameable: readonly string[] };

/**
 * The files at the end of a range that hold something of certain commits, followed through renames.
 * @param isWanted says which of the range's commits count.
 * @throws ForgeError
 */
export async function listTouchedFiles(
  { root }: Repository,
  { commits, to }: Pick<CommitRange, 'commits' | 'to'>,
  isWanted: (sha: string) => boolean,
  options: GitOptions = {},
): Promise<TouchedFiles> {
  if (!commits.some(isWanted)) return { files: [], unnameable: [] };
  const { touched, lastChanges } = await walk(root, commits, isWanted, options);
  const entries = (await listTree(root, to, options)).filter(({ name }) => touched.has(name));
  const lastObjects = await objectsAt(
    root,
    entries.map(({ name }) => ({ name, commit: lastChanges.get(name) ?? to })),
    options,
  );
  const files: TouchedFile[] = [];
  const unnameable: string[] = [];
  for (const [i, { name, mode, object }] of entries.entries()) {
    const path = decodePath(name);
    // Another branch may have had the last word.
    const sameAt = lastObjects[i] === object ? (lastChanges.get(name) ?? to) : to;
    if (path === undefined) unnameable.push(name);
    else files.push({ path, kind: KIND_OF_MODE[mode] ?? 'file', sameAt });
  }
  return { files, unnameable };
}

/** What each file was in a commit; undefined where that cannot be asked. */
async function objectsAt(
  root: string,
  places: ReadonlyArray<{ readonly name: string; readonly commit: string }>,
  options: GitOptions,
): Promise<ReadonlyArray<string | undefined>> {
  // One question a line: a name with a newline would be two.
  const questions = places.map(({ name, commit }) => (name.includes('\n') ? commit : `${commit}:${name}`));
  const input = Buffer.from(questions.map((question) => `${question}\n`).join(''), 'latin1');
  const answers = await runGit(root, ['cat-file', '--batch-check=%(objectname)'], { ...options, input });
  return answers.toString('latin1').split('\n').slice(0, -1);
}

const KIND_OF_MODE: Readonly<Record<string, TouchedFile['kind']>> = { '120000': 'link', '160000': 'submodule' };

/** Names are bytes (latin1), so that two that are no UTF-8 stay two. */
type Walk = {
  readonly touched: ReadonlySet<string>;
  /** The last commit in the order of the walk that changed a file. */
  readonly lastChanges: ReadonlyMap<string, string>;
};

async function walk(
  root: string,
  commits: readonly string[],
  isWanted: (sha: string) => boolean,
  options: GitOptions,
): Promise<Walk> {
  // With the log's own walk switched off, the order is ours: the oldest first, so that renames can be followed.
  const args = ['log', '--no-walk=unsorted', '--stdin', '--format=%x01%H', '--name-status', '-z', '-M', '-c', '--root'];
  const flags = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=none'];
  const output = await runGit(root, [...args, ...flags], { ...options, input: `${commits.join('\n')}\n` });
  const touched = new Set<string>();
  const lastChanges = new Map<string, string>();
  const tokens = splitAtNul(output);
  let commit = '';
  for (let i = 0; i < tokens.length; i++) {
    const token = (tokens[i] as string).replace(/^\n/, '');
    if (token === '') continue;
    if (token.startsWith('\u0001')) {
      commit = token.slice(1);
      continue;
    }
    const before = /^[RC]\d+$/.test(token) ? tokens[++i] : undefined;
    const path = tokens[++i] as string;
    lastChanges.set(path, commit);
    if (isWanted(commit) || (before !== undefined && touched.has(before))) touched.add(path);
  }
  return { touched, lastChanges };
}

function splitAtNul(bytes: Buffer): string[] {
  return bytes.toString('latin1').split('\0').slice(0, -1);
}
