import { ForgeError } from '../forge-error/forge-error.ts';
import { type GitOptions, MAX_OUTPUT_BYTES } from '../git/git.ts';
import { readObjects } from '../git/object.ts';

/** What a commit has under a name. */
export type TreeEntry = {
  /** Six octal digits: `100644`, `100755`, `120000` (a link), `160000` (a submodule). */
  readonly mode: string;
  readonly object: string;
  /** From the top of the repository, byte by byte (latin1), so that two names that are no UTF-8 stay two. */
  readonly name: string;
};

/**
 * Everything that a commit has, folders aside, by name. The hash of every tree is compared with its name.
 * @throws ForgeError
 */
export async function listTree(root: string, commit: string, options: GitOptions = {}): Promise<readonly TreeEntry[]> {
  const { maxBytes = MAX_OUTPUT_BYTES } = options;
  const files: TreeEntry[] = [];
  let size = 0;
  let folders = [await topOf(root, commit, options)];
  while (folders.length > 0) {
    const deeper: TreeEntry[] = [];
    for (const entry of await entriesOf(root, folders, options)) {
      // A few trees that name each other can stand for more files than any machine has room for.
      size += entry.name.length + entry.object.length;
      if (size > maxBytes) throw new ForgeError('forge.output_too_large', `${commit} has too many files to list`);
      (entry.mode === FOLDER ? deeper : files).push(entry);
    }
    folders = deeper;
  }
  return files.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}

/**
 * What a commit has under one name. The hash of every tree on the way is compared with its name.
 * @param name as in {@link TreeEntry}
 * @throws ForgeError
 */
export async function findEntry(
  root: string,
  commit: string,
  name: string,
  options: GitOptions = {},
): Promise<TreeEntry | undefined> {
  let entry: TreeEntry | undefined = await topOf(root, commit, options);
  while (entry?.mode === FOLDER && entry.name !== name) {
    const entries: TreeEntry[] = [...(await entriesOf(root, [entry], options))];
    entry = entries.find((one) => name === one.name || name.startsWith(`${one.name}/`));
  }
  return entry?.name === name ? entry : undefined;
}

const FOLDER = '040000';

async function topOf(root: string, commit: string, options: GitOptions): Promise<TreeEntry> {
  const [object] = await readObjects(root, [commit], options);
  const [, tree] = /^tree ([0-9a-f]+)\n/.exec(object!.bytes.toString('latin1', 0, 100)) ?? [];
  if (object!.kind !== 'commit' || tree === undefined) {
    throw new ForgeError('forge.git_failed', `${commit} is no commit`);
  }
  return { mode: FOLDER, object: tree, name: '' };
}

/** What stands in some folders, one after the other, and not what stands in folders there. */
async function entriesOf(
  root: string,
  folders: readonly TreeEntry[],
  options: GitOptions,
): Promise<Iterable<TreeEntry>> {
  const names = [...new Set(folders.map(({ object }) => object))];
  const trees = await readObjects(root, names, options);
  const known = new Map(names.map((name, index) => [name, trees[index]!]));
  return (function* () {
    for (const { name, object } of folders) {
      const { kind, bytes } = known.get(object)!;
      if (kind !== 'tree') throw new ForgeError('forge.git_failed', `${object} is no tree`);
      yield* parseTree(bytes, name === '' ? '' : `${name}/`, object.length / 2);
    }
  })();
}

/** `<mode> <name>\0<object>`, one behind the other. */
function* parseTree(bytes: Buffer, prefix: string, objectLength: number): Iterable<TreeEntry> {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const next = end + 1 + objectLength;
    if (space < 0 || end < 0 || next > bytes.length) throw new ForgeError('forge.git_failed', 'a tree is cut off');
    yield {
      mode: modeOf(bytes.toString('latin1', at, space)),
      object: bytes.toString('hex', end + 1, next),
      name: `${prefix}${bytes.toString('latin1', space + 1, end)}`,
    };
    at = next;
  }
}

/** Old programs wrote more modes of files than there are now. */
function modeOf(octal: string): string {
  const mode = Number.parseInt(octal, 8);
  const kind = mode & 0o170000;
  if (kind === 0o100000) return (mode & 0o100) === 0 ? '100644' : '100755';
  if (kind === 0o120000) return '120000';
  return kind === 0o040000 ? FOLDER : '160000';
}
