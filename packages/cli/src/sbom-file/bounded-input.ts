import { createReadStream, type Stats, statSync } from 'node:fs';
import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';

/**
 * The bytes of a file, or of standard input for `-`, as long as there are at most `maxBytes` of them; a pipe that never
 * ends is closed there.
 * @throws CliError `cli.file_unreadable` (exit 1), `cli.file_too_large` (exit 20)
 */
export async function readBounded(path: string, maxBytes: number): Promise<Uint8Array> {
  if (path !== '-') {
    const stats = statsOf(path);
    if (stats.isDirectory()) throw unreadable(path, 'it is a folder');
    if (stats.size > maxBytes) throw tooLarge(path, maxBytes, `${stats.size} bytes`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(path, maxBytes, 'more');
      chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof CliError
      ? cause
      : unreadable(path, (cause as NodeJS.ErrnoException).code ?? 'unknown', cause);
  }
  return Buffer.concat(chunks);
}

function statsOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw unreadable(path, code === 'ENOENT' || code === 'ENOTDIR' ? 'there is no such file' : code, cause);
  }
}

function unreadable(path: string, why: string, cause?: unknown): CliError {
  return new CliError('cli.file_unreadable', `${path}: ${why}`, EXIT.usage, { checked: path }, cause);
}

function tooLarge(path: string, maxBytes: number, found: string): CliError {
  return new CliError('cli.file_too_large', `${path} is larger than is read here`, EXIT.refused, {
    checked: path,
    expected: `at most ${maxBytes} bytes`,
    found,
  });
}
