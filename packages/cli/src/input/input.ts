import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  realpathSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { systemReason, writeFileDurably } from '@colophon/durable-file';
import { CliError } from '../cli-error/cli-error.ts';
import { withoutSecrets } from '../secrets/secrets.ts';

/** The bytes of a file, or of standard input for `-`. */
export async function readInput(path: string): Promise<Uint8Array> {
  if (path === '-') return buffer(process.stdin);
  try {
    return await readFile(path);
  } catch (cause) {
    throw unreadable(path, systemReason(cause), cause);
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
  const folder = dirname(resolve(path));
  try {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw unwritable(path, `there is no folder ${folder}`);
    const foreign = foreignEntry(path);
    if (foreign !== undefined) throw unwritable(path, `it is ${foreign} of another user`);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) throw unwritable(path, 'it is a folder');
    accessSync(isReplaced(stats) ? folder : path, constants.W_OK);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw unwritable(path, systemReason(cause), cause);
  }
}

/**
 * Writes the whole file or leaves what was there; what is no regular file (`/dev/stdout`, a pipe) is written into. A
 * link is followed, but not another user's: in a folder that somebody else may write in, it leads where they want.
 */
export function writeOutput(path: string, content: string | Uint8Array): void {
  try {
    const foreign = foreignEntry(path);
    if (foreign !== undefined) throw unwritable(path, `it is ${foreign} of another user`);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!isReplaced(stats)) writeFileSync(path, content);
    else if (stats === undefined) writeFileDurably(path, content, 0o644);
    else writeFileDurably(lstatSync(path).isSymbolicLink() ? realpathSync(path) : path, content, stats.mode & 0o777);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw unwritable(path, systemReason(cause), cause);
  }
}

/** What stands there if it is another user's link or pipe; root's are everybody's. */
function foreignEntry(path: string): 'a link' | 'a pipe' | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || [0, process.getuid?.()].includes(stats.uid)) return undefined;
  return stats.isSymbolicLink() ? 'a link' : stats.isFIFO() ? 'a pipe' : undefined;
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
