import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { CtEntryStore } from '../ct-entry-store/ct-entry-store.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { SqliteLedger } from '../ledger/sqlite-ledger.ts';
import { LogEntryStore } from '../log-entry-store/log-entry-store.ts';
import { MerkleLogStore } from '../merkle-log-store/merkle-log-store.ts';
import { TreeKeyStore } from '../merkle-log-store/tree-key-store.ts';
import { storeErrorOf } from '../store-error/store-error.ts';

type CopiedTable = { readonly name: string; readonly where?: string };

const LEDGER_TABLES: readonly CopiedTable[] = [
  { name: 'ledger_entry' },
  { name: 'ledger_erasure' },
  { name: 'merkle_node', where: "tree = 'ledger'" },
  { name: 'merkle_head', where: "tree = 'ledger'" },
];

const LOG_TABLES: readonly CopiedTable[] = [
  { name: 'log_entry' },
  { name: 'log_entry_key' },
  { name: 'log_identity' },
  { name: 'log_name_index' },
  { name: 'ct_entry' },
  ...['merkle_node', 'merkle_head', 'tree_key'].map((name) => ({ name, where: "tree IN ('rekor', 'ct')" })),
];

/**
 * Copies rows and tree of the ledger into a file of its own, which is whole on disk before it has its name.
 * @param file of the database that `db` has open
 * @throws StoreError
 */
export function copyLedger(db: Database, file: string, target: string): void {
  copyTables({ db, file, target, tables: LEDGER_TABLES, open: (one) => new SqliteLedger(one) });
}

/** Empties the ledger, for one that begins anew; call inside `db.write`. */
export function emptyLedger(db: Database): void {
  emptyTables(db, LEDGER_TABLES);
}

/** Copies transparency log and certificate log, as {@link copyLedger}. @throws StoreError */
export function copyLogs(db: Database, file: string, target: string): void {
  const open = (one: Database) => {
    new LogEntryStore(one);
    new CtEntryStore(one);
    new MerkleLogStore(one, 'rekor');
    new TreeKeyStore(one);
  };
  copyTables({ db, file, target, tables: LOG_TABLES, open });
}

/** Empties both logs, for ones that begin anew; call inside `db.write`. */
export function emptyLogs(db: Database): void {
  emptyTables(db, LOG_TABLES);
}

function copyTables({
  db,
  file,
  target,
  tables,
  open,
}: {
  readonly db: Database;
  readonly file: string;
  readonly target: string;
  readonly tables: readonly CopiedTable[];
  readonly open: (db: Database) => void;
}): void {
  const draft = `${target}.new`;
  for (const path of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(path, { force: true });
  // Both have the tables of this version, so that rows are copied as they are.
  open(db);
  const copy = openDatabase(draft);
  try {
    open(copy);
    const { sqlite } = copy;
    sqlite.prepare('ATTACH DATABASE ? AS source').run(file);
    sqlite.exec('BEGIN IMMEDIATE');
    for (const { name, where = '1' } of tables) {
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

function emptyTables({ sqlite }: Database, tables: readonly CopiedTable[]): void {
  for (const { name, where = '1' } of tables) sqlite.exec(`DELETE FROM ${name} WHERE ${where}`);
}

function syncPath(path: string, flags: 'r+' | 'r'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
