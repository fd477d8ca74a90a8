type Row = { readonly [column: string]: unknown };

/** An INSERT of one row with these columns. */
export function insertInto(table: string, columns: readonly string[]): string {
  const names = columns.map((name) => `"${name}"`).join(', ');
  return `INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/** The members of a record in the order of the columns; what is absent is null. */
export function valuesOf(record: Row, columns: readonly string[]): Array<string | number | Uint8Array | null> {
  return columns.map((column) => {
    const value = record[column];
    if (typeof value === 'boolean') return value ? 1 : 0;
    return (value ?? null) as string | number | Uint8Array | null;
  });
}
