import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Schema changes of one store, oldest first; a published step is never edited, only followed by another. */
export type Migrations = readonly string[];

type Pending = { run: () => unknown; resolve: (value: never) => void; reject: (reason: unknown) => void };

/**
 * One SQLite file (WAL, `synchronous=FULL`) with group commit: all writes that are asked for in one turn of the event
 * loop share one transaction, and no promise is fulfilled before that transaction is durable.
 */
export class Database {
  readonly sqlite: DatabaseSync;
  #pending: Pending[] = [];
  #isScheduled = false;

  constructor(sqlite: DatabaseSync) {
    this.sqlite = sqlite;
  }

  /**
   * Runs `work` in the transaction of this turn and answers with its result once that is on disk.
   * A `work` that throws is undone alone (its own savepoint); a commit that fails rejects every write of the turn.
   * `work` is synchronous and touches nothing but this database.
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ run: work, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => this.flush());
    });
  }

  /** Commits what is waiting, now. */
  flush(): void {
    const batch = this.#pending;
    this.#pending = [];
    this.#isScheduled = false;
    if (batch.length === 0) return;
    const outcomes: Array<{ ok: true; value: unknown } | { ok: false; error: unknown }> = [];
    try {
      this.sqlite.exec('BEGIN IMMEDIATE');
      for (const { run } of batch) {
        this.sqlite.exec('SAVEPOINT work');
        try {
          outcomes.push({ ok: true, value: run() });
        } catch (error) {
          // A full disk can end the whole transaction: then there is no savepoint to go back to, and all fail.
          if (!this.sqlite.isTransaction) throw error;
          this.sqlite.exec('ROLLBACK TO work');
          outcomes.push({ ok: false, error });
        }
        this.sqlite.exec('RELEASE work');
      }
      this.sqlite.exec('COMMIT');
    } catch (error) {
      if (this.sqlite.isTransaction) this.sqlite.exec('ROLLBACK');
      for (const { reject } of batch) reject(error);
      return;
    }
    batch.forEach(({ resolve, reject }, i) => {
      const outcome = outcomes[i]!;
      if (outcome.ok) resolve(outcome.value as never);
      else reject(outcome.error);
    });
  }

  /** Brings the tables of `store` up to its newest migration; a file from a newer program is refused. */
  migrate(store: string, migrations: Migrations): void {
    this.sqlite.exec('BEGIN IMMEDIATE');
    try {
      this.sqlite.exec(
        'CREATE TABLE IF NOT EXISTS schema_version (store TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT',
      );
      const row = this.sqlite.prepare('SELECT version FROM schema_version WHERE store = ?').get(store) as
        | { version: number }
        | undefined;
      const version = row?.version ?? 0;
      if (version > migrations.length)
        throw new Error(`${store}: this file was written by a newer version of the program`);
      for (const step of migrations.slice(version)) this.sqlite.exec(step);
      this.sqlite
        .prepare(
          'INSERT INTO schema_version VALUES (?, ?) ON CONFLICT (store) DO UPDATE SET version = excluded.version',
        )
        .run(store, migrations.length);
      this.sqlite.exec('COMMIT');
    } catch (error) {
      if (this.sqlite.isTransaction) this.sqlite.exec('ROLLBACK');
      throw error;
    }
  }

  /** Commits what is waiting and closes the file. */
  close(): void {
    this.flush();
    this.sqlite.close();
  }
}

/**
 * Opens (and, unless `readonly`, creates) the database file, readable by its owner alone.
 * `:memory:` gives a database that lives as long as the process.
 */
export function openDatabase(file: string, { readonly = false }: { readonly?: boolean } = {}): Database {
  const isFile = file !== ':memory:';
  if (isFile && !readonly) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const isNew = isFile && !existsSync(file);
  const sqlite = new DatabaseSync(file, { readOnly: readonly, timeout: 5000 });
  if (isNew) chmodSync(file, 0o600);
  if (!readonly) {
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  }
  return new Database(sqlite);
}
