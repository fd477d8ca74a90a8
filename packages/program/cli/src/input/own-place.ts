import { closeSync, constants, existsSync, fstatSync, openSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type PathStep, readOpenFile, stepsTo } from '@colophon/durable-file';

/** What another user put on the way to a file. The message says which, for a person. */
export class ForeignEntry extends Error {}

/** Links in these are the system's; in a user namespace they seem to be somebody else's. */
const OF_SYSTEM = /^\/(?:proc|dev)(?:\/|$)/;

const OPEN_FILES = /^\/proc\/[^/]+(?:\/task\/[^/]+)?\/fd$/;

/**
 * The folder and the name at which a path ends, gone along links of this user, of root and of the system alone.
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
    ownPlace(dirname(path));
    return undefined;
  }
  for (const step of steps) {
    const { entry } = step;
    // Where it leads is open already: whoever started this process opened it.
    if (OPEN_FILES.test(step.path)) break;
    if (entry === undefined || OF_SYSTEM.test(step.path) || [0, process.getuid?.()].includes(entry.uid)) continue;
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
 * Opens what stands at a place, and nothing that somebody put there meanwhile. What is open already, such as a pipe of
 * `/dev/stdout`, is opened again.
 * @throws ForeignEntry; Error of the system
 */
export function openEntry(place: PathStep & { readonly entry: NonNullable<PathStep['entry']> }, flags: number): number {
  const { path, name, entry } = place;
  if (entry.isSymbolicLink()) return openSync(join(path, name), flags);
  const file = openSync(join(path, name), flags | constants.O_NOFOLLOW);
  try {
    assertSame(file, entry);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

/**
 * Reads a whole regular file to which no other user's link leads, without ever waiting.
 * @returns undefined for what is no file, such as a pipe of this user
 * @throws ForeignEntry; Error of the system; RangeError for one that is too large
 */
export function readOwnFile(path: string, mostBytes: number): Buffer | undefined {
  const place = ownPlace(path);
  if (place?.entry !== undefined && !place.entry.isFile()) return undefined;
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const file = place?.entry === undefined ? openSync(path, flags) : openEntry({ ...place, entry: place.entry }, flags);
  try {
    return readOpenFile(file, path, mostBytes);
  } finally {
    closeSync(file);
  }
}

function assertSame(file: number, { dev, ino, mode }: Stats): void {
  const open = fstatSync(file);
  // The number of a file that is gone may be given to another one, of another kind.
  const isOfKind = (open.mode & constants.S_IFMT) === (mode & constants.S_IFMT);
  if (open.dev !== dev || open.ino !== ino || !isOfKind) throw new ForeignEntry('it was exchanged meanwhile');
}
