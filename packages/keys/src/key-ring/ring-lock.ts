import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { systemReason } from '@colophon/durable-file';
import { KeyError } from '../key-error/key-error.ts';

const SQLITE_BUSY = 5;
/** A change takes some milliseconds, and half a second where a key is made for RS256. */
const PATIENCE_MS = 10_000;

/**
 * Does `work` while no other process changes this ring. The lock is the operating system's, so it ends with its process:
 * none is left behind by a crash.
 * @throws KeyError `key.ring_busy`, `key.unavailable`; what `work` throws
 */
export function lockedRing<T>(lockFile: string, work: () => T, patienceMs = PATIENCE_MS): T {
  let lock: DatabaseSync | undefined;
  try {
    makeLockFile(lockFile);
    lock = new DatabaseSync(lockFile, { timeout: patienceMs });
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    if ((cause as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new KeyError('key.ring_busy', `another process is changing the keys beside ${lockFile}`);
    }
    throw new KeyError('key.unavailable', `${lockFile} cannot be made or locked: ${reasonOf(cause)}`, { cause });
  }
  try {
    return work();
  } finally {
    lock.close();
  }
}

/** SQLite would make it for everybody. */
function makeLockFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function reasonOf(error: unknown): string {
  return 'errcode' in (error as object) ? (error as Error).message : systemReason(error);
}
