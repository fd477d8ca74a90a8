import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

/**
 * Reads a whole file now, without ever waiting: a pipe or a device in its place is no file, and nobody would end it.
 * @throws the system's error; RangeError for what is no regular file, or larger than `mostBytes`
 */
export function readRegularFile(path: string, mostBytes: number): Buffer {
  return readVersion(path, mostBytes).bytes;
}

/** What several files held at one moment. */
export type FilesAtOnce = {
  /** In the order of the paths. */
  readonly contents: readonly Buffer[];
  /** As {@link versionOf} these paths, and what was named beside them. */
  readonly version: string;
};

/** How often files are read that somebody exchanges meanwhile. */
const MOST_TRIES = 5;

/**
 * Reads files as they are at one moment: those that are exchanged or written to meanwhile are read again.
 * @param beside files and folders of which nothing is read, and which may not change meanwhile either
 * @throws as readRegularFile; RangeError where they do not stay as they are for long enough
 */
export function readFilesAtOnce(
  paths: readonly string[],
  mostBytes: number,
  beside: readonly string[] = [],
): FilesAtOnce {
  const named = [...paths, ...beside];
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const version = versionOf(named);
    const read = paths.map((path) => readVersion(path, mostBytes));
    const others = beside.map((path) => versionOf([path]));
    const asRead = [...read.map((file) => file.version), ...others].join('\n');
    if (asRead === version && versionOf(named) === version) {
      return { contents: read.map(({ bytes }) => bytes), version };
    }
  }
  throw new RangeError(`${paths.join(', ')}: changed again and again while being read`);
}

/** What changes with files and folders: where they lie, through links, their sizes and times. @throws the system's error */
export function versionOf(paths: readonly string[]): string {
  return paths.map((path) => versionIn(statSync(path, { bigint: true }))).join('\n');
}

function versionIn({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function readVersion(path: string, mostBytes: number): { readonly version: string; readonly bytes: Buffer } {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return { version: versionIn(fstatSync(file, { bigint: true })), bytes: readOpenFile(file, path, mostBytes) };
  } finally {
    closeSync(file);
  }
}

/** The same of a file that is open. */
export function readOpenFile(file: number, path: string, mostBytes: number): Buffer {
  const { size } = fstatSync(file);
  if (!fstatSync(file).isFile()) throw new RangeError(`${path} is no regular file`);
  if (size > mostBytes) throw new RangeError(`${path} has more than ${mostBytes} bytes`);
  // One byte more than it has: it may be written to meanwhile.
  const bytes = Buffer.alloc(size + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, null);
  }
  return bytes.subarray(0, Math.min(length, size));
}
