import { createReadStream, type Stats, statSync } from 'node:fs';
import { systemReason } from '@colophon/durable-file';
import { CliError } from '../cli-error/cli-error.ts';
import { unreadable } from './input.ts';

/**
 * The bytes of a file, or of standard input for `-`, as long as there are at most `maxBytes` of them; a pipe that never
 * ends is closed there.
 * @throws CliError `cli.file_unreadable` (exit 1), `cli.file_too_large` (exit 20)
 */
export async function readBounded(path: string, maxBytes: number): Promise<Uint8Array> {
  // A large file is read into its place: put together out of its parts, it would take twice its size.
  const place = Buffer.allocUnsafeSlow(path === '-' ? 0 : expectedSize(path, maxBytes));
  const rest: Uint8Array[] = [];
  let placed = 0;
  let size = 0;
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(path, maxBytes, 'more');
      if (size <= place.length) {
        place.set(chunk, placed);
        placed = size;
      } else rest.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof CliError ? cause : unreadable(path, systemReason(cause), cause);
  }
  // It may have grown or shrunk meanwhile, and a device has no size.
  return rest.length === 0 && placed === place.length ? place : Buffer.concat([place.subarray(0, placed), ...rest]);
}

function expectedSize(path: string, maxBytes: number): number {
  const stats = statsOf(path);
  if (stats.isDirectory()) throw unreadable(path, 'it is a folder');
  if (stats.size > maxBytes) throw tooLarge(path, maxBytes, `${stats.size} bytes`);
  return stats.isFile() ? stats.size : 0;
}

function statsOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (cause) {
    // A file in the way of the path is another way not to be there.
    const isNowhere = (cause as NodeJS.ErrnoException).code === 'ENOTDIR';
    throw unreadable(path, isNowhere ? 'there is no such file' : systemReason(cause), cause);
  }
}

function tooLarge(path: string, maxBytes: number, found: string): CliError {
  return new CliError('cli.file_too_large', `${path} is larger than is read here`, {
    checked: path,
    expected: `at most ${maxBytes} bytes`,
    found,
  });
}
