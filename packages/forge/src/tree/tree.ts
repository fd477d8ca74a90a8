import { type GitOptions, runGit } from '../git/git.ts';

/** What a commit has under a name. */
export type TreeEntry = {
  /** Six octal digits: `100644`, `100755`, `120000` (a link), `160000` (a submodule). */
  readonly mode: string;
  readonly object: string;
  /** From the top of the repository, byte by byte (latin1), so that two names that are no UTF-8 stay two. */
  readonly name: string;
};

/** Everything that a commit has, folders aside. @throws ForgeError */
export async function listTree(root: string, commit: string, options: GitOptions = {}): Promise<readonly TreeEntry[]> {
  const listed = await runGit(root, ['ls-tree', '-r', '-z', '--full-tree', commit], options);
  return listed.toString('latin1').split('\0').slice(0, -1).map(readEntry);
}

/** `<mode> <kind> <object>\t<name>` */
function readEntry(entry: string): TreeEntry {
  const tab = entry.indexOf('\t');
  const [mode = '', , object = ''] = entry.slice(0, tab).split(' ');
  return { mode, object, name: entry.slice(tab + 1) };
}
