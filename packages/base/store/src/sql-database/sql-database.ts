/** What a column can hold on both databases. */
export type SqlValue = string | number | null | Uint8Array;

/** One row by column name. Integers come as numbers, bytes as Uint8Array. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One statement in the SQL that SQLite and PostgreSQL share, with `?` for each value. */
export type SqlStatement = {
  readonly text: string;
  readonly values?: readonly SqlValue[];
  /** How many rows it must change: another number undoes the whole write with `store.conflict`. */
  readonly changes?: number;
};

/**
 * A database that several processes may share: SQLite in a file, or PostgreSQL. What is written stands on disk before
 * the promise is fulfilled. No transaction is ever open between two calls; who writes what somebody else may have changed
 * says which revision was read (`UPDATE … WHERE revision = ?` with `changes: 1`). Each statement of a write sees what was
 * committed before that statement, so what must hold stands in the statement that relies on it.
 *
 * Rejects with StoreError `store.unavailable` (nothing was written, may be tried again), `store.conflict` (another number
 * of rows, or one that is there already), `store.unauthorized`, `store.outcome_unknown`, `store.closed`, `store.corrupt`.
 */
export interface SqlDatabase {
  readonly dialect: 'sqlite' | 'postgresql';
  /** What was opened, without its password. */
  readonly address: string;
  /** Every row of a query. */
  all(statement: SqlStatement): Promise<readonly SqlRow[]>;
  /** All of them or none; answers with the number of rows that each changed. */
  write(statements: readonly SqlStatement[]): Promise<readonly number[]>;
  /**
   * Brings the tables of `store` up to the newest of its steps, once, whoever starts at the same time. `BYTES` in a step
   * stands for the type of a column of bytes.
   * @param first number of the schema that the first step makes: lower ones were never released
   */
  migrate(store: string, steps: readonly string[], first?: number): Promise<void>;
  close(): Promise<void>;
}
