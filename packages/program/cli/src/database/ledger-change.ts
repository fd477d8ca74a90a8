import { type Database, openDatabase, SqliteLedger, StoreError } from '@colophon/store';
import { upLine } from '../home/up-line.ts';
import { readDatabaseFile, requireDatabase } from './database.ts';

/**
 * Writes into the ledger, also while the server runs: the lock of the data folder is left to it.
 * @param data the global `--data` of the line, for what to type next
 * @throws CliError `cli.file_unreadable` where nothing was ever started; StoreError `store.schema_missing` for tables of an older program
 */
export async function changeLedger<T>(
  dataDir: string,
  data: string | undefined,
  change: (db: Database) => Promise<T>,
): Promise<T> {
  const file = requireDatabase(dataDir, data);
  requireLedgerTables(file, data);
  const db = openDatabase(file);
  try {
    return await change(db);
  } finally {
    db.close();
  }
}

/** Tables are made by the server alone: an older one that is running could write no more. @throws StoreError `store.schema_missing` */
export function requireLedgerTables(file: string, data: string | undefined): void {
  withUpLine(data, () =>
    readDatabaseFile(file, (db) => {
      new SqliteLedger(db);
      db.requireNewestTables();
    }),
  );
}

/** Says what to run where the tables of a file are of an earlier release. */
export function withUpLine<T>(data: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store.schema_missing') throw error;
    throw Object.assign(error, { facts: { next: upLine(data) } });
  }
}
