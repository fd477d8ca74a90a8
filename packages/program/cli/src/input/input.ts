import { accessSync, closeSync, constants, existsSync, openSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { makeFolder, type PathStep, systemReason, writeFileDurably } from '@colophon/durable-file';
import { CliError } from '../cli-error/cli-error.ts';
import { withoutSecrets } from '../secrets/secrets.ts';
import { ForeignEntry, inFolder, openEntry, ownPlace, readOwnFile } from './own-place.ts';

/** The bytes of a file, or of standard input for `-`. */
export async function readInput(path: string): Promise<Uint8Array> {
  if (path === '-') return buffer(process.stdin);
  try {
    return await readFile(path);
  } catch (cause) {
    throw unreadable(path, systemReason(cause), cause);
  }
}

/** The bytes of a regular file that another user may have exchanged, or of standard input: no link of theirs is followed. */
export async function readOwnInput(path: string, mostBytes: number): Promise<Uint8Array> {
  if (path === '-') return buffer(process.stdin);
  try {
    return readOwnFile(path, mostBytes) ?? (await readInput(path));
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw unreadable(path, cause instanceof RangeError ? cause.message : reasonOf(cause), cause);
  }
}

/** Says now, and not after a token was spent, that a file cannot be signed. */
export function assertReadableFile(path: string): void {
  let stats: Stats;
  try {
    stats = statSync(path);
    accessSync(path, constants.R_OK);
  } catch (cause) {
    throw unreadable(path, systemReason(cause), cause);
  }
  if (!stats.isFile()) throw unreadable(path, stats.isDirectory() ? 'it is a folder' : 'it is a pipe or a device');
}

/** Says now, and not after a token was spent and an entry logged, that a result could not be written there. */
export function assertWritableFile(path: string): void {
  const folder = dirname(path);
  try {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw unwritable(path, `there is no folder ${resolve(folder)}`);
    ownPlace(path);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) throw unwritable(path, 'it is a folder');
    if (isReplaced(stats)) accessSync(folder, constants.R_OK | constants.W_OK);
    else accessSync(path, constants.W_OK);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw unwritable(path, reasonOf(cause), cause);
  }
}

/**
 * Writes the whole file or leaves what was there; what is no regular file (`/dev/stdout`, a pipe) is written into. Links
 * are followed, but not another user's: in a folder that somebody else may write in, they lead where they want.
 */
export function writeOutput(path: string, content: string | Uint8Array): void {
  try {
    const place = placeOf(path);
    const stats = place === undefined ? statSync(path, { throwIfNoEntry: false }) : place.entry;
    const mode = stats === undefined ? 0o644 : stats.mode & 0o777;
    if (place === undefined) writeWhole(path, content, stats, mode);
    else if (isReplaced(stats)) inFolder(place, (name) => writeFileDurably(name, content, mode));
    else {
      const file = openEntry({ ...place, entry: stats! }, constants.O_WRONLY);
      try {
        writeFileSync(file, content);
      } finally {
        closeSync(file);
      }
    }
  } catch (cause) {
    throw unwritable(path, reasonOf(cause), cause);
  }
}

/** Where there are no links of others to think of. */
function writeWhole(path: string, content: string | Uint8Array, stats: Stats | undefined, mode: number): void {
  if (isReplaced(stats)) writeFileDurably(path, content, mode);
  else writeFileSync(path, content);
}

/**
 * Opens a file for writing into it from its beginning, under the rules of `writeOutput`; a new one has this mode.
 * @throws CliError `cli.file_unwritable`
 */
export function openOutput(path: string, mode: number): number {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  try {
    const place = placeOf(path);
    if (place === undefined) return openSync(path, 'w', mode);
    const { entry } = place;
    if (entry !== undefined && !entry.isFile()) return openEntry({ ...place, entry }, O_WRONLY);
    return inFolder(place, (name) => openSync(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode));
  } catch (cause) {
    throw unwritable(path, reasonOf(cause), cause);
  }
}

/** The own place of a path, whose folder is made where there is none; undefined on Windows. */
function placeOf(path: string): PathStep | undefined {
  const place = ownPlace(path);
  if (place !== undefined || process.platform === 'win32') return place;
  makeFolder(dirname(path));
  return ownPlace(path);
}

function reasonOf(cause: unknown): string {
  return cause instanceof ForeignEntry ? cause.message : systemReason(cause);
}

/** Writes a whole file with a mode. @throws CliError `cli.file_unwritable` */
export function writeWithMode(path: string, content: string, mode: number): void {
  try {
    writeFileDurably(path, content, mode);
  } catch (cause) {
    throw unwritable(path, systemReason(cause), cause);
  }
}

function isReplaced(stats: Stats | undefined): boolean {
  return stats === undefined || stats.isFile();
}

/** The error of a file that cannot be read, and why. */
export function unreadable(path: string, why: string, cause?: unknown): CliError {
  // The token itself is left out of what is printed.
  const isToken = withoutSecrets(path).includes('<token>');
  const expected = isToken ? { expected: 'the name of a file; this is a token' } : {};
  return new CliError('cli.file_unreadable', `${path}: ${why}`, { checked: path, ...expected, cause });
}

/** The same for the file that `flag` names, which holds a secret: what names no file may be the secret itself. */
export function unreadableSecret(flag: string, path: string, cause: unknown): CliError {
  if (existsSync(path)) return unreadable(path, systemReason(cause));
  return new CliError('cli.file_unreadable', `${flag} names no file`, {
    checked: flag,
    expected: 'the name of a file; the value is not shown, as it may be the secret itself',
  });
}

/** The error of a file or folder that cannot be written, and why. */
export function unwritable(path: string, why: string, cause?: unknown): CliError {
  return new CliError('cli.file_unwritable', `${path}: ${why}`, { checked: path, cause });
}
