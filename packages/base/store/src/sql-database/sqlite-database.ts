import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';
import { conflictOf, StoreError } from '../store-error/store-error.ts';
import type { SqlDatabase, SqlRow, SqlStatement } from './sql-database.ts';

/** So many statements are kept compiled. */
const STATEMENT_CACHE_SIZE = 200;

/** A {@link SqlDatabase} in one SQLite file: its writes share the transaction of their turn, each in its own savepoint. */
export class SqliteDatabase implements SqlDatabase {
  readonly dialect = 'sqlite';
  readonly address: string;
  readonly #db: Database;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: Database, address: string) {
    this.#db = db;
    this.address = address;
  }

  async all({ text, values = [] }: SqlStatement): Promise<readonly SqlRow[]> {
    this.#assertOpen();
    return this.#db.read(() => this.#prepare(text).all(...values)) as unknown as readonly SqlRow[];
  }

  async write(statements: readonly SqlStatement[]): Promise<readonly number[]> {
    this.#assertOpen();
    return this.#db.write(() => statements.map((statement) => this.#run(statement)));
  }

  async migrate(store: string, steps: readonly string[], first?: number): Promise<void> {
    this.#assertOpen();
    this.#db.migrate(
      store,
      steps.map((step) => step.replace(/\bBYTES\b/g, 'BLOB')),
      first,
    );
  }

  async close(): Promise<void> {
    this.#statements.clear();
    this.#db.close();
  }

  #run({ text, values = [], changes }: SqlStatement): number {
    let changed: number;
    try {
      changed = Number(this.#prepare(text).run(...values).changes);
    } catch (error) {
      throw conflictOf(error);
    }
    if (changes === undefined || changed === changes) return changed;
    throw new StoreError(
      'store.conflict',
      `another process changed the data after it was read: ${changed} of ${changes} rows were unchanged`,
    );
  }

  #prepare(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#db.sqlite.prepare(text);
      if (this.#statements.size >= STATEMENT_CACHE_SIZE) this.#statements.clear();
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #assertOpen(): void {
    if (!this.#db.sqlite.isOpen) throw new StoreError('store.closed', 'the database is closed');
  }
}
