import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { writeFileDurably } from '@colophon/server/data-folder';
import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';

/** The bytes of a file, or of standard input for `-`. */
export async function readInput(path: string): Promise<Uint8Array> {
  if (path === '-') return buffer(process.stdin);
  try {
    return await readFile(path);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : (code ?? 'cannot be read');
    throw new CliError('cli.file_unreadable', `${path}: ${why}`, EXIT.usage, { checked: path }, cause);
  }
}

/** Says now, and not after a token was spent, that a file cannot be signed. */
export function assertReadableFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return;
  const why = stats === undefined ? 'there is no such file' : 'it is no regular file';
  throw new CliError('cli.file_unreadable', `${path}: ${why}`, EXIT.usage, { checked: path });
}

/** Writes the whole file or leaves what was there. */
export function writeOutput(path: string, content: string): void {
  try {
    writeFileDurably(path, content, 0o644);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new CliError(
      'cli.file_unwritable',
      `${path} was not written: ${code}`,
      EXIT.internal,
      { checked: path },
      cause,
    );
  }
}
