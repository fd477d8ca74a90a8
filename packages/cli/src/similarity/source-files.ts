import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isBinary, readSourceFolder, type SourceFile } from '@colophon/feeds';
import {
  type Choice,
  MOST_TEXT_LENGTH,
  type SkippedFile,
  type SourceFiles,
  sourceFilesAmong,
} from '@colophon/grammars';
import { grammarOfPath } from '@colophon/similarity';
import { CliError } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';

/** UTF-8 has at most so many bytes for one UTF-16 unit. */
const MOST_FILE_BYTES = MOST_TEXT_LENGTH * 3;

/**
 * One file, or standard input for `-`.
 * @throws CliError `cli.file_unreadable`, `cli.file_too_large`
 */
export async function readSourceFile(path: string): Promise<SourceFile> {
  const bytes = await readBounded(path, MOST_FILE_BYTES);
  if (!isBinary(bytes)) return { path, bytes };
  throw new CliError('cli.file_unreadable', `${path}: it is binary, or text in UTF-16`, { checked: path });
}

/** Whether a path is a folder; false also for what is not there. */
export async function isFolder(path: string): Promise<boolean> {
  if (path === '-') return false;
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/**
 * The source files at a path: the file itself, or all below a folder that are of a known language and not generated.
 * @throws CliError `cli.file_unreadable`, `cli.file_too_large`
 * @throws FeedsError `feeds.folder_unreadable`, `feeds.package_too_large`
 */
export async function sourceFilesAt(path: string, choice: Choice = {}): Promise<SourceFiles> {
  if (!(await isFolder(path))) return { files: [await readSourceFile(path)], skipped: [], others: 0 };
  const { files, skipped } = await readSourceFolder(path);
  const chosen = sourceFilesAmong(files, choice);
  const named = (file: { readonly path: string }) => join(path, file.path);
  return {
    files: chosen.files.map((file) => ({ ...file, path: named(file) })),
    skipped: [...skipped.filter(mayBeSource), ...chosen.skipped].map((file) => ({ ...file, path: named(file) })),
    others: chosen.others,
  };
}

/** Behind a link, or in a folder that is passed over, may be source of any name. */
function mayBeSource({ path, reason }: SkippedFile): boolean {
  return grammarOfPath(path) !== undefined || reason === 'a link' || reason === 'not part of the source';
}
