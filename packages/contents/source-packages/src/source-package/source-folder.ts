import { constants, type Dirent } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceError } from '../source-error/source-error.ts';
import { DEFAULT_SOURCE_LIMITS, type SourceLimits } from './source-limits.ts';
import { type SourceTree, SourceTreeCollector } from './source-tree.ts';

/** Folders that hold other people's files or a history. */
const PASSED_OVER = new Set(['node_modules', '.git', '.hg', '.svn']);

/**
 * A local folder as a package's source: its files of text with their paths relative to it, the licence that its
 * manifest states, and its licence texts. `node_modules`, histories and binaries are left out, links are not followed.
 * @throws SourceError `feeds.folder_unreadable`, `feeds.package_too_large`
 */
export async function readSourceFolder(
  folder: string,
  { limits = {} }: { readonly limits?: Partial<SourceLimits> } = {},
): Promise<SourceTree> {
  const stats = await stat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) {
    throw new SourceError('feeds.folder_unreadable', 'there is no such folder', { checked: folder });
  }
  const collector = new SourceTreeCollector(folder, { ...DEFAULT_SOURCE_LIMITS, ...limits });
  const open: string[] = [''];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const entry of await entriesOf(join(folder, place))) {
      const path = place === '' ? entry.name : `${place}/${entry.name}`;
      if (entry.isDirectory()) {
        if (PASSED_OVER.has(entry.name)) collector.skip(path, 'not part of the source');
        else open.push(path);
      } else if (entry.isFile()) await addFile(join(folder, path), path, collector);
      else collector.skip(path, entry.isSymbolicLink() ? 'a link' : 'no regular file');
    }
  }
  return collector.tree();
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

async function addFile(file: string, path: string, collector: SourceTreeCollector): Promise<void> {
  // What was a file a moment ago may be a link or a pipe now.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((cause) => {
    throw unreadable(file, cause);
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return collector.skip(path, 'no regular file');
    const isTaken = collector.takes(path, stats.size);
    collector.expect(isTaken ? stats.size : 0);
    if (isTaken) collector.add(path, await handle.readFile());
  } finally {
    await handle.close();
  }
}

function unreadable(checked: string, cause: unknown): SourceError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException;
  return new SourceError('feeds.folder_unreadable', `it cannot be read: ${code}`, { checked, cause });
}
