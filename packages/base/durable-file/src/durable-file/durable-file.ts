import { randomUUID } from 'node:crypto';
import { closeSync, fchmodSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../folder/make-folder.ts';

/**
 * Writes the whole file, or leaves what was there: complete on disk, with its mode whatever the mask, before it has its
 * name. Its folder is made where there is none.
 * @throws Error of the system
 */
export function writeFileDurably(path: string, content: string | Uint8Array, mode: number): void {
  withDraft(path, content, mode, (draft) => renameSync(draft, path));
}

/**
 * The same for a name that is not taken; what has it already stays as it is, also when two come at once.
 * @returns whether this call made the file
 * @throws Error of the system
 */
export function createFileDurably(path: string, content: string | Uint8Array, mode: number): boolean {
  return withDraft(path, content, mode, (draft) => {
    try {
      // A link, unlike a rename, never replaces a file.
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
    return true;
  });
}

function withDraft<T>(path: string, content: string | Uint8Array, mode: number, giveName: (draft: string) => T): T {
  const folder = dirname(path);
  makeFolder(folder);
  const draft = `${path}.${randomUUID()}.new`;
  try {
    const file = openSync(draft, 'wx', mode);
    try {
      writeFileSync(file, content);
      fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    const result = giveName(draft);
    syncFolder(folder);
    return result;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A name lasts once its folder is on disk. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
