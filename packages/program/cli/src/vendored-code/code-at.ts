import { relative, sep } from 'node:path';
import type { MeasuredPath } from '@colophon/grammars';
import { isFolder, sourceFilesAt } from '../similarity/source-files.ts';

/**
 * Reads a file or folder that is to be measured.
 * @param path of it inside the repository
 * @throws CliError `cli.file_unreadable`
 */
export async function codeAt(file: string, path: string): Promise<MeasuredPath> {
  const folder = await isFolder(file);
  const { files, unread } = await sourceFilesAt(file);
  const inside = (one: string) => (folder ? `${path}/${relative(file, one).split(sep).join('/')}` : path);
  return {
    path,
    isFolder: folder,
    files: files.map((one) => ({ ...one, path: inside(one.path) })),
    unread: unread.map((one) => ({ ...one, file: inside(one.file) })),
  };
}
