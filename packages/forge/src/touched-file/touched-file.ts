import { type GitOptions, runGit } from '../git/git.ts';
import type { CommitRange } from '../range/range.ts';
import type { Repository } from '../repository/repository.ts';
import { decodePath } from './path.ts';

/** A file at the end of a range. */
export type TouchedFile = {
  /** From the top of the repository, with `/`. */
  readonly path: string;
  /** A link or a submodule has no lines of its own. */
  readonly kind: 'file' | 'link' | 'submodule';
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
  { commits, to }: CommitRange,
  isWanted: (sha: string) => boolean,
  options: GitOptions = {},
): Promise<TouchedFiles> {
  if (!commits.some(isWanted)) return { files: [], unnameable: [] };
  const touched = await touchedPaths(root, commits, isWanted, options);
  const listed = await runGit(root, ['ls-tree', '-r', '-z', '--full-tree', to], options);
  const files: TouchedFile[] = [];
  const unnameable: string[] = [];
  for (const entry of splitAtNul(listed)) {
    const tab = entry.indexOf('\t');
    const name = entry.slice(tab + 1);
    if (!touched.has(name)) continue;
    const path = decodePath(name);
    if (path === undefined) unnameable.push(name);
    else files.push({ path, kind: KIND_OF_MODE[entry.slice(0, 6)] ?? 'file' });
  }
  return { files, unnameable };
}

const KIND_OF_MODE: Readonly<Record<string, TouchedFile['kind']>> = { '120000': 'link', '160000': 'submodule' };

/** Names as bytes (latin1), so that two that are no UTF-8 stay two. */
async function touchedPaths(
  root: string,
  commits: readonly string[],
  isWanted: (sha: string) => boolean,
  options: GitOptions,
): Promise<ReadonlySet<string>> {
  // With the log's own walk switched off, the order is ours: the oldest first, so that renames can be followed.
  const args = ['log', '--no-walk=unsorted', '--stdin', '--format=%x01%H', '--name-status', '-z', '-M', '-c', '--root'];
  const flags = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=none'];
  const output = await runGit(root, [...args, ...flags], { ...options, input: `${commits.join('\n')}\n` });
  const touched = new Set<string>();
  const tokens = splitAtNul(output);
  let counts = false;
  for (let i = 0; i < tokens.length; i++) {
    const token = (tokens[i] as string).replace(/^\n/, '');
    if (token === '') continue;
    if (token.startsWith('\u0001')) {
      counts = isWanted(token.slice(1));
    } else if (/^[RC]\d+$/.test(token)) {
      const before = tokens[++i] as string;
      const after = tokens[++i] as string;
      if (counts || touched.has(before)) touched.add(after);
    } else {
      const path = tokens[++i] as string;
      if (counts) touched.add(path);
    }
  }
  return touched;
}

function splitAtNul(bytes: Buffer): string[] {
  return bytes.toString('latin1').split('\0').slice(0, -1);
}
