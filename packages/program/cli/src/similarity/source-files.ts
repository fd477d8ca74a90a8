import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type Choice,
  MOST_TEXT_LENGTH,
  type SkippedFile,
  type SourceFiles,
  sourceFilesAmong,
} from '@colophon/grammars';
import { grammarOfPath } from '@colophon/similarity';
import { isBinary, readSourceFolder, type SourceFile } from '@colophon/source-packages';
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
 * @throws SourceError `feeds.folder_unreadable`, `feeds.package_too_large`
 */
export async function sourceFilesAt(path: string, choice: Choice = {}): Promise<SourceFiles> {
  if (!(await isFolder(path))) return { files: [await readSourceFile(path)], skipped: [], unread: [], leftOutCount: 0 };
  const { files, skipped } = await readSourceFolder(path);
  const chosen = sourceFilesAmong(files, choice);
  const below = ({ file, reason }: SkippedFile) => ({ file: join(path, file), reason });
  const passedOver = skipped.map(({ path: file, reason }) => ({ file, reason }));
  return {
    files: chosen.files.map((file) => ({ ...file, path: join(path, file.path) })),
    skipped: [...passedOver.filter(mayBeSource), ...chosen.skipped].map(below),
    unread: [...passedOver.filter(({ file }) => !HISTORIES.has(basename(file))), ...chosen.unread].map(below),
    leftOutCount: chosen.leftOutCount,
  };
}

/** Nobody's source: what is checked out of them is looked at. */
const HISTORIES: ReadonlySet<string> = new Set(['.git', '.hg', '.svn']);

/** Behind a link, or in a folder that is passed over, may be source of any name. */
function mayBeSource({ file, reason }: SkippedFile): boolean {
  return grammarOfPath(file) !== undefined || reason === 'a link' || reason === 'not part of the source';
}
