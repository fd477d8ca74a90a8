import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isBinary, readSourceFolder, type SourceFile } from '@colophon/feeds';
import { MOST_TEXT_LENGTH } from '@colophon/grammars';
import { grammarOfPath, isGenerated, type Language, languageOfGrammar } from '@colophon/similarity';
import { CliError } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';

/** What is not compared, and why. */
export type SkippedFile = { readonly path: string; readonly reason: string };

/** Files to compare, and those that were passed over. */
export type SourceFiles = {
  readonly files: readonly SourceFile[];
  readonly skipped: readonly SkippedFile[];
  /** So many more are of no language that is compared, by their names. */
  readonly others: number;
};

/** UTF-8 has at most so many bytes for one UTF-16 unit. */
const MOST_FILE_BYTES = MOST_TEXT_LENGTH * 3;
/** UTF-8 text enough for the lines in which a generator says so. */
const GENERATED_PROBE_LENGTH = 8000;

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

/** Which files of a folder or package are chosen. */
export type Choice = {
  readonly language?: Language | undefined;
  /** Also those that say they are generated: a gate does not take a file's word for it. */
  readonly withGenerated?: boolean;
};

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

/** Those of a folder or package that can be compared: of a known language, or of this one, and not generated. */
export function sourceFilesAmong(files: readonly SourceFile[], choice: Choice = {}): SourceFiles {
  const { language, withGenerated = false } = choice;
  const skipped: SkippedFile[] = [];
  let others = 0;
  const chosen = files.filter((file) => {
    const grammar = grammarOfPath(file.path);
    if (grammar === undefined || (language !== undefined && languageOfGrammar(grammar) !== language)) {
      others++;
      return false;
    }
    if (withGenerated || !isGenerated(textOf(file.bytes.subarray(0, GENERATED_PROBE_LENGTH)))) return true;
    skipped.push({ path: file.path, reason: 'generated' });
    return false;
  });
  return { files: chosen, skipped, others };
}

/**
 * The text of a file's bytes, without a byte order mark. What is not UTF-8 is one unknown sign: an old encoding changes
 * comments and texts, not the syntax.
 */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
