import type { FrozenFile } from '@colophon/issuer';
import { frozenLedgerFiles, ledgerRestores, removeFrozenDrafts } from '@colophon/server/restore';
import { type Database, openDatabase } from '@colophon/store';
import { requireLedgerTables } from './ledger-change.ts';

/**
 * Opens every ledger of the data folder that was frozen, for writing; parts of copies are removed.
 * @param db of the data folder
 * @param data the global `--data` of the line, for what to type next
 * @throws ServerError `server.data_folder_damaged` where one is gone; StoreError `store.schema_missing` for tables of an older program
 */
export async function withFrozenLedgers<T>(
  { db, dataDir, data }: { readonly db: Database; readonly dataDir: string; readonly data: string | undefined },
  work: (frozen: readonly FrozenFile[]) => Promise<T>,
): Promise<T> {
  const opened: FrozenFile[] = [];
  removeFrozenDrafts(dataDir);
  try {
    for (const { file, origin } of frozenLedgerFiles(dataDir, ledgerRestores(db))) {
      if (origin !== undefined) requireLedgerTables(file, data);
      opened.push({ origin, db: openDatabase(file) });
    }
    return await work(opened);
  } finally {
    for (const one of opened) one.db.close();
  }
}
