import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** Another process held the lock for as long as was waited. */
export class LockHeld extends Error {
  constructor(lockFile: string, cause: unknown) {
    super(`${lockFile} is locked by another process`, { cause });
    this.name = 'LockHeld';
  }
}

/**
 * Does `work` while no other process that asks for the same lock does its own. The lock is the operating system's, so it
 * ends with its process: none is left behind by a crash. Its file stays.
 * @param patienceMs how long another's work is waited for, in which nothing else of this process goes on
 * @throws LockHeld; the error of the system, or of SQLite, for a file that cannot be made or locked; what `work` throws
 */
export function withFileLock<T>(lockFile: string, work: () => T, patienceMs: number): T {
  let lock: DatabaseSync | undefined;
  try {
    makeLockFile(lockFile);
    lock = new DatabaseSync(lockFile, { timeout: patienceMs });
    // Without `locking_mode = EXCLUSIVE`: who waits in it keeps a shared lock, and two that wait wait for each other.
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    throw (cause as { errcode?: number }).errcode === SQLITE_BUSY ? new LockHeld(lockFile, cause) : cause;
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
