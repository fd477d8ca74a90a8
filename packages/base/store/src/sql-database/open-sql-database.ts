import { openDatabase } from '../database/open-database.ts';
import { isPostgresqlAddress } from './postgresql-address.ts';
import { PostgresqlDatabase } from './postgresql-database.ts';
import type { SqlDatabase } from './sql-database.ts';
import { SqliteDatabase } from './sqlite-database.ts';

/**
 * Opens the database of this address: `postgres://…` for a PostgreSQL server, else the name of a SQLite file, which is
 * made where it is not there (mode 0600, its folders 0700). `:memory:` lives as long as the process.
 * @throws StoreError `store.address_invalid`, `store.unauthorized`, `store.unavailable`, `store.corrupt`; none repeats a
 * password
 */
export async function openSqlDatabase(address: string): Promise<SqlDatabase> {
  if (isPostgresqlAddress(address)) return PostgresqlDatabase.open(address);
  return new SqliteDatabase(openDatabase(address), address);
}
