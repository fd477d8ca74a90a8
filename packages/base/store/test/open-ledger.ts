import { openDatabase } from '../src/database/open-database.ts';
import type { LedgerStorage } from '../src/ledger/ledger-storage.ts';
import { SqliteLedger } from '../src/ledger/sqlite-ledger.ts';
import { isPostgresqlAddress } from '../src/sql-database/postgresql-address.ts';
import { PostgresqlLedger } from './postgresql-ledger.ts';

export type OpenLedger = { readonly ledger: LedgerStorage; close(): Promise<void> };

/** The ledger at this address: a SQLite file, or a PostgreSQL server. */
export async function openLedger(address: string): Promise<OpenLedger> {
  if (isPostgresqlAddress(address)) {
    const ledger = await PostgresqlLedger.open(address);
    return { ledger, close: () => ledger.close() };
  }
  const db = openDatabase(address);
  return { ledger: new SqliteLedger(db), close: async () => db.close() };
}
