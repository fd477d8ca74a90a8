import type { DatabaseSync } from 'node:sqlite';

/** The columns that a table of this file has; none where it has no such table. */
export function columnNames(sqlite: DatabaseSync, table: string): ReadonlySet<string> {
  const rows = sqlite.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  return new Set(rows.map(({ name }) => String(name)));
}
