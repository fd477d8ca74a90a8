import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { Unfixed } from '../comment/unfixed.ts';

/** Longest text that is read at all, in bytes. */
export const LONGEST_SOURCE = 8 * 1024 * 1024;
export const TOO_LARGE = `larger than ${LONGEST_SOURCE / 1024 / 1024} MiB`;

/** Why a path of the working tree is no file that is looked at. */
export function notAFile(root: string, file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return 'not in the working tree';
  if (!stats.isFile()) return 'no regular file in the working tree';
  if (stats.size > LONGEST_SOURCE) return TOO_LARGE;
  // A folder above it may have become a link that leads elsewhere.
  return realpathSync(file).startsWith(realpathSync(root) + sep) ? undefined : 'outside of the repository';
}

/** The text of a file to the byte, or undefined where it is not UTF-8. A byte order mark stays. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether two versions of a file have the same lines. Git may keep other line ends than the working tree has. */
export function hasSameLines(a: Uint8Array, b: Uint8Array): boolean {
  const lines = (bytes: Uint8Array) =>
    Buffer.from(bytes)
      .toString('latin1')
      .replace(/\r?\n$/, '')
      .split(/\r?\n/);
  const [these, those] = [lines(a), lines(b)];
  return these.length === those.length && these.every((line, i) => line === those[i]);
}

/** Writes a file whole, or leaves what was there: `writeFileDurably`, or what reports its errors. */
export type WriteFile = (path: string, content: string, mode: number) => void;

/**
 * Replaces a file whole, with its mode, if it is still what was read.
 * @returns undefined once it is written, or why it is not
 * @throws whatever `write` throws
 */
export function replaceFile(
  root: string,
  file: string,
  read: Uint8Array,
  content: string,
  write: WriteFile,
): Unfixed | undefined {
  if (notAFile(root, file) !== undefined || !readFileSync(file).equals(read)) return FILE_CHANGED;
  write(file, content, lstatSync(file).mode & 0o7777);
  return undefined;
}

export const FILE_CHANGED: Unfixed = {
  code: 'comment.file_changed',
  reason: 'the file in the working tree is not the one that was looked at',
};

/** Why a file is not written whatever stands in it: a mode without `w` is somebody's wish, also where root could write. */
export function unwritable(file: string): Unfixed | undefined {
  const stats = lstatSync(file);
  if ((stats.mode & 0o200) === 0) return { code: 'comment.read_only', reason: 'the file is read-only' };
  return undefined;
}
