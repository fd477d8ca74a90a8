import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { SqliteLedger } from '../ledger/sqlite-ledger.ts';
import { storeErrorOf } from '../store-error/store-error.ts';

type CopiedTable = { readonly name: string; readonly where?: string };

const LEDGER_TABLES: readonly CopiedTable[] = [
  { name: 'ledger_entry' },
  { name: 'ledger_erasure' },
  { name: 'merkle_node', where: "tree = 'ledger'" },
  { name: 'merkle_head', where: "tree = 'ledger'" },
];

/**
 * Copies rows and tree of the ledger into a file of its own, which is whole on disk before it has its name.
 * @param file of the database that `db` has open
 * @throws StoreError
 */
export function copyLedger(db: Database, file: string, target: string): void {
  const draft = `${target}.new`;
  for (const path of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(path, { force: true });
  // Both have the tables of this version, so that rows are copied as they are.
  new SqliteLedger(db);
  const copy = openDatabase(draft);
  try {
    new SqliteLedger(copy);
    const { sqlite } = copy;
    sqlite.prepare('ATTACH DATABASE ? AS source').run(file);
    sqlite.exec('BEGIN IMMEDIATE');
    for (const { name, where = '1' } of LEDGER_TABLES) {
      sqlite.exec(`INSERT INTO main.${name} SELECT * FROM source.${name} WHERE ${where}`);
    }
    sqlite.exec('COMMIT; DETACH DATABASE source; PRAGMA journal_mode = DELETE');
  } catch (error) {
    throw storeErrorOf(error);
  } finally {
    copy.close();
  }
  syncPath(draft, 'r+');
  renameSync(draft, target);
  syncPath(dirname(target), 'r');
}

/** Empties the ledger, for one that begins anew; call inside `db.write`. */
export function emptyLedger({ sqlite }: Database): void {
  for (const { name, where = '1' } of LEDGER_TABLES) sqlite.exec(`DELETE FROM ${name} WHERE ${where}`);
}

function syncPath(path: string, flags: 'r+' | 'r'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
