import { closeSync, constants, existsSync, fstatSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type PathStep, readOpenFile, stepsTo } from '@colophon/durable-file';

/** What another user put on the way to a file. The message says which, for a person. */
export class ForeignEntry extends Error {}

/**
 * The folder and the name at which a path ends, gone along links of this user and of root alone: root's are everybody's.
 * Undefined where a folder on the way is not there yet, and on Windows.
 * @throws ForeignEntry; Error of the system
 */
export function ownPlace(path: string): PathStep | undefined {
  if (process.platform === 'win32') return undefined;
  let steps: readonly PathStep[];
  try {
    steps = stepsTo(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    ownPlace(dirname(resolve(path)));
    return undefined;
  }
  for (const step of steps) {
    const { entry } = step;
    if (entry === undefined || [0, process.getuid?.()].includes(entry.uid)) continue;
    const what = entry.isSymbolicLink() ? 'a link' : entry.isFIFO() ? 'a pipe' : undefined;
    if (what === undefined) continue;
    const at = join(step.path, step.name);
    throw new ForeignEntry(`${at === resolve(path) ? 'it' : at} is ${what} of another user`);
  }
  return steps.at(-1);
}

/** Works in the folder of a place by a name that stays the same, whoever moves the folder away meanwhile. */
export function inFolder<T>({ path, name, folder }: PathStep, work: (path: string) => T): T {
  const handle = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    assertSame(handle, folder);
    const open = `/proc/self/fd/${handle}`;
    return work(join(existsSync(open) ? open : path, name));
  } finally {
    closeSync(handle);
  }
}

/**
 * Reads a whole regular file to which no other user's link leads, without ever waiting.
 * @throws ForeignEntry; Error of the system; RangeError for what is no regular file, or too large
 */
export function readOwnFile(path: string, mostBytes: number): Buffer {
  const place = ownPlace(path);
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (place?.entry !== undefined) assertSame(file, place.entry);
    return readOpenFile(file, path, mostBytes);
  } finally {
    closeSync(file);
  }
}

function assertSame(file: number, { dev, ino }: { readonly dev: number; readonly ino: number }): void {
  const open = fstatSync(file);
  if (open.dev !== dev || open.ino !== ino) throw new ForeignEntry('it was exchanged meanwhile');
}
