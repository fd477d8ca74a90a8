import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Reads a whole file now, without ever waiting: a pipe or a device in its place is no file, and nobody would end it.
 * @throws the system's error; RangeError for what is no regular file, or larger than `mostBytes`
 */
export function readRegularFile(path: string, mostBytes: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return readOpenFile(file, path, mostBytes);
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
