import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Reference, referenceAmong } from '@colophon/grammars';

/**
 * Where a reference stands that the caller names by a path: in one of the judged trees, or outside of them.
 * @param trees real paths, as of {@link judgedTree}
 */
export function referenceAt(path: string, trees: readonly string[]): Reference {
  if (path === '-') return 'given';
  return referenceAmong([resolve(path), realPath(path)].map(withSlashes), trees.map(withSlashes));
}

/**
 * The tree that a judged file or folder is part of: its repository, else the current folder where it is in that, else
 * its own folder. Of nested repositories the outermost in the current folder, else the outermost of all: a tree may bring
 * a `.git` of its own.
 */
export function judgedTree(path: string): string {
  const real = realPath(path);
  const here = realPath('.');
  const repositories = [...foldersUp(real)].filter((folder) => existsSync(join(folder, '.git')));
  const inHere = repositories.findLast((folder) => isWithin(folder, here));
  return inHere ?? repositories.at(-1) ?? (isWithin(real, here) ? here : folderOf(real));
}

function folderOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
}

function* foldersUp(path: string): Generator<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}

function isWithin(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`));
}

/** What is not there is refused by whoever reads it. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function withSlashes(path: string): string {
  return path.replaceAll(sep, '/');
}
