import { parseCommit } from '../commit/commit.ts';
import { type GitOptions, runGit } from '../git/git.ts';
import { readObjects } from '../git/object.ts';
import { findEntry } from '../tree/tree.ts';

/** The same of every commit, whatever the user's configuration says of differences. */
const FLAGS = ['-p', '-U3', '--no-renames', '--no-ext-diff', '--no-textconv', '--diff-algorithm=myers', '--full-index'];

/** Before each commit in the output of git log; no line of a patch begins so. */
const MARK = '\u0001';

/**
 * What a commit changed in a file, without the places of it: lines that came, went and stood around, with their white
 * space. Empty where it changed no line of text.
 */
export async function readPatch(root: string, commit: string, path: string, options: GitOptions): Promise<string> {
  const [object] = await readObjects(root, [commit], options);
  const [parent] = parseCommit(commit, object!.bytes).parents;
  const sides = parent === undefined ? ['--root', commit] : [parent, commit];
  for (const side of parent === undefined ? [commit] : sides) await assertGenuine(root, side, path, options);
  return hunksOf(await runGit(root, ['diff-tree', ...FLAGS, ...sides, '--', path], options));
}

/** A difference is only as good as both of its sides, and git holds neither against its name. */
async function assertGenuine(root: string, commit: string, path: string, options: GitOptions): Promise<void> {
  const entry = await findEntry(root, commit, Buffer.from(path).toString('latin1'), options);
  if (entry !== undefined && /^1[02]/.test(entry.mode)) await readObjects(root, [entry.object], options);
}

/**
 * The commits of a history that made this change to a file, and the last that changed it at all. A merge is none of the
 * former.
 */
export async function samePatches(
  root: string,
  patch: string,
  head: string,
  path: string,
  options: GitOptions,
): Promise<{ readonly last?: string; readonly same: readonly string[] }> {
  const log = await runGit(root, ['log', '--format=%x01%H', ...FLAGS, head, '--', path], options);
  const entries = log
    .toString('latin1')
    .split(new RegExp(`(?:^|\n)${MARK}`))
    .slice(1)
    .map((entry) => ({ commit: entry.slice(0, entry.indexOf('\n')), hunks: hunksOf(entry) }));
  const same = patch === '' ? [] : entries.filter(({ hunks }) => hunks === patch).map(({ commit }) => commit);
  const [last] = entries;
  return { ...(last && { last: last.commit }), same };
}

/**
 * The hunks of a patch of one file, without where each stands in it. Lines end at newlines alone: behind a carriage
 * return a line of the file could look like one of git's.
 */
function hunksOf(output: Buffer | string): string {
  const text = typeof output === 'string' ? output : output.toString('latin1');
  const start = text.search(/(?:^|\n)@@ /);
  return start < 0
    ? ''
    : text
        .slice(start)
        .replace(/(^|\n)@@ [^\n]*/g, '$1@@')
        .replace(/^\n|\n+$/g, '');
}
