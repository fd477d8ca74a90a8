import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, storeErrorOf } from '../store-error/store-error.ts';
import { Database } from './database.ts';

/** How long a write waits for another process to finish its own, milliseconds. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_PAUSE_MS = 5;
const SQLITE_BUSY = 5;

/**
 * Opens (and, unless `readonly`, creates) the database file, readable by its owner alone.
 * `:memory:` gives a database that lives as long as the process.
 * Without `isChecked` the structure of the file is left to whoever reads all of it.
 * @throws StoreError `store.corrupt` where a page of the file is torn or the file is no database; `store.unavailable`
 * where it cannot be opened.
 */
export function openDatabase(
  file: string,
  { readonly = false, isChecked = true }: { readonly?: boolean; readonly isChecked?: boolean } = {},
): Database {
  if (file !== ':memory:' && !readonly && !existsSync(file)) createFile(file);
  let sqlite: DatabaseSync | undefined;
  try {
    sqlite = new DatabaseSync(file, { readOnly: readonly, timeout: BUSY_TIMEOUT_MS });
    if (!readonly) {
      switchToWal(sqlite);
      // What is deleted or moved leaves no copy in the file.
      sqlite.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    }
    const found = isChecked ? sqlite.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] : 'ok';
    if (found !== 'ok') throw new StoreError('store.corrupt', `${file} is damaged: ${found}`);
    return new Database(sqlite, { readonly });
  } catch (error) {
    if (sqlite?.isOpen) sqlite.close();
    throw storeErrorOf(error);
  }
}

/** Waits as a write does: for this statement SQLite does not, and two processes may open a new file at once. */
function switchToWal(sqlite: DatabaseSync): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      sqlite.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS);
    }
  }
}

// SQLite gives its side files the mode of this one, so it has the right mode from the start.
function createFile(file: string): void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    syncPath(file, 'a');
    syncPath(folder, 'r');
  } catch (cause) {
    throw new StoreError('store.unavailable', `${file} cannot be made`, { cause });
  }
}

// The folder too: without it the name of a new file may be gone after a power cut.
function syncPath(path: string, flags: 'a' | 'r'): void {
  const handle = openSync(path, flags, 0o600);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
