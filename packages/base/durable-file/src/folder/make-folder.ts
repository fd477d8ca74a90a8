import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes the folder and those above it, for its owner alone unless said otherwise. One by one, because `mkdirSync` with
 * `recursive` never returns where a file system refuses with ENOENT, as /proc does.
 * @throws Error of the system
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else was faster.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
