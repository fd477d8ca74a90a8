import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StoreError, storeErrorOf } from '../store-error/store-error.ts';

/** The tables of one store: SQL that makes them, and each change since, oldest first. A released step is never edited. */
type Tables = { readonly steps: readonly string[]; readonly first: number; readonly newest: number };

type Pending = { run: () => unknown; resolve: (value: never) => void; reject: (reason: unknown) => void };
type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/** How long others may keep the write-ahead log from being emptied, milliseconds. */
const EMPTYING_TIMEOUT_MS = 5000;
const EMPTYING_PAUSE_MS = 20;

const SCHEMA_VERSION =
  'CREATE TABLE IF NOT EXISTS schema_version (store TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT';

/**
 * One SQLite file (WAL, `synchronous=FULL`) with group commit: all writes that are asked for in one turn of the event
 * loop share one transaction, and no promise is fulfilled before that transaction is durable.
 */
export class Database {
  readonly sqlite: DatabaseSync;
  readonly readonly: boolean;
  #pending: Pending[] = [];
  /** What is asked for once at the end of the turn, by the work itself. */
  #last = new Map<() => unknown, PromiseWithResolvers<unknown>>();
  #isScheduled = false;
  #isFlushing = false;
  /** Of every store that was opened here. */
  readonly #migrated = new Map<string, Tables>();
  /** Compiled once: every transaction asks it. */
  #allVersions: StatementSync | undefined;

  constructor(sqlite: DatabaseSync, { readonly = false }: { readonly?: boolean } = {}) {
    this.sqlite = sqlite;
    this.readonly = readonly;
  }

  /**
   * Runs `work` in the transaction of this turn and answers with its result once that is on disk.
   * A `work` that throws is undone alone (its own savepoint); a commit that fails rejects every write of the turn.
   * `work` is synchronous and touches nothing but this database.
   * Rejects with StoreError `store.unavailable` (nothing written, may be tried again), `store.corrupt`, `store.closed`,
   * `store.schema_newer` where another process has changed the tables since; with TypeError for a `work` that answers with a promise; else with what `work` threw.
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#schedule();
      this.#pending.push({ run: work, resolve, reject });
    });
  }

  /** Writes what is there already, to see whether anything can be written. Rejects as {@link Database.write}. */
  probe(): Promise<void> {
    return this.write(() => {
      const { user_version } = this.sqlite.prepare('PRAGMA user_version').get() as { user_version: number };
      this.sqlite.exec(`PRAGMA user_version = ${user_version}`);
    });
  }

  /**
   * Runs `work` in the transaction of this turn too, but after all of its writes, and once however many ask for the same
   * function: for what covers all that was written, such as the signed head of a tree. A `work` that throws undoes the
   * whole turn. Rejects as {@link Database.write}.
   */
  async writeLast<T>(work: () => T): Promise<T> {
    let asked = this.#last.get(work);
    if (asked === undefined) {
      this.#schedule();
      asked = Promise.withResolvers<unknown>();
      this.#last.set(work, asked);
    }
    return asked.promise as Promise<T>;
  }

  /** Answers with what `read` answers; errors of the disk and the file are StoreErrors, as in {@link Database.write}. */
  read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw storeErrorOf(error);
    }
  }

  /** All that `read` reads is of one moment, whatever other processes write meanwhile; errors as in {@link Database.read}. */
  snapshot<T>(read: () => T): T {
    return this.sqlite.isTransaction ? this.read(read) : this.#inTransaction('BEGIN', read);
  }

  /** Commits what is waiting, now. @throws TypeError inside a write. */
  flush(): void {
    if (this.#isFlushing) throw new TypeError('flush inside a write');
    const batch = this.#pending;
    const last = [...this.#last];
    this.#pending = [];
    this.#last.clear();
    this.#isScheduled = false;
    if (batch.length + last.length === 0) return;
    let outcomes: Outcome[];
    let lastValues: unknown[];
    this.#isFlushing = true;
    try {
      [outcomes, lastValues] = this.#inTransaction('BEGIN IMMEDIATE', () => {
        this.#assertVersions();
        const [only] = batch;
        // What fails alone is undone with its transaction: a savepoint would copy every page before it is changed.
        if (batch.length === 1 && last.length === 0) return [[{ ok: true, value: synchronous(only!.run()) }], []];
        return [batch.map(({ run }) => this.#inSavepoint(run)), last.map(([work]) => synchronous(work()))];
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
      for (const [, { reject }] of last) reject(error);
      return;
    } finally {
      this.#isFlushing = false;
    }
    batch.forEach(({ resolve, reject }, i) => {
      const outcome = outcomes[i] as Outcome;
      if (outcome.ok) resolve(outcome.value as never);
      else reject(outcome.error);
    });
    last.forEach(([, { resolve }], i) => {
      resolve(lastValues[i]);
    });
  }

  /**
   * Brings the tables of `store` up to the newest of its steps; opened for reading, only checks that they are.
   * @param first number of the schema that the first step makes: lower ones were never released
   * @throws StoreError `store.schema_newer`, `store.schema_unreleased`, `store.schema_missing`, `store.unavailable`,
   * `store.corrupt`.
   */
  migrate(store: string, steps: readonly string[], first = 1): void {
    const tables: Tables = { steps, first, newest: first + steps.length - 1 };
    if (this.readonly) {
      const version = this.#hasSchemaTable() ? this.#versionOf(store, tables) : 0;
      if (version < tables.newest)
        throw new StoreError('store.schema_missing', `${store}: this file lacks tables that only a writer may make`);
      this.#migrated.set(store, tables);
      return;
    }
    this.#inTransaction('BEGIN IMMEDIATE', () => {
      this.sqlite.exec(SCHEMA_VERSION);
      const version = this.#versionOf(store, tables);
      for (const step of steps.slice(stepCount(version, tables))) this.sqlite.exec(step);
      this.sqlite
        .prepare(
          'INSERT INTO schema_version VALUES (?, ?) ON CONFLICT (store) DO UPDATE SET version = excluded.version',
        )
        .run(store, tables.newest);
    });
    this.#migrated.set(store, tables);
  }

  /**
   * Writes the whole file anew and empties the write-ahead log: of what was deleted or overwritten no byte is left in either.
   * @throws StoreError `store.unavailable` where another process reads or writes for too long
   */
  rewrite(): void {
    this.flush();
    this.read(() => {
      const file = this.sqlite.location();
      // SQLite copies all rows into a file of its own first, unlinked from the start: beside ours, not in a folder of everybody.
      const folder = file === null ? '' : dirname(file).replaceAll("'", "''");
      this.sqlite.exec(`PRAGMA temp_store_directory = '${folder}'`);
      try {
        this.sqlite.exec('VACUUM');
      } finally {
        this.sqlite.exec("PRAGMA temp_store_directory = ''");
      }
      this.#emptyLog();
    });
  }

  /** SQLite waits for readers and writers, and not for another process that is emptying the log itself. */
  #emptyLog(): void {
    const deadline = performance.now() + EMPTYING_TIMEOUT_MS;
    const empty = this.sqlite.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    while ((empty.get() as { busy: number }).busy !== 0) {
      if (performance.now() > deadline)
        throw new StoreError('store.unavailable', 'another process is reading an older state of the file');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EMPTYING_PAUSE_MS);
    }
  }

  /**
   * For a program that must not change tables while an older one may be using them.
   * @throws StoreError `store.schema_missing` where a store that was opened here has tables of an older version
   */
  requireNewestTables(): void {
    for (const [store, tables] of this.#migrated) {
      if (this.#versionOf(store, tables) < tables.newest)
        throw new StoreError('store.schema_missing', `${store}: this file lacks tables that only the server may make`);
    }
  }

  /** Names of the tables and indexes of the opened stores that are not as their migrations make them. */
  changedTables(): string[] {
    const changed: string[] = [];
    const here = new Map(tablesOf(this.sqlite));
    for (const [store, tables] of this.#migrated) {
      const made = new DatabaseSync(':memory:');
      try {
        made.exec(SCHEMA_VERSION);
        for (const step of tables.steps.slice(0, stepCount(this.#versionOf(store, tables), tables))) made.exec(step);
        for (const [name, sql] of tablesOf(made)) if (here.get(name) !== sql) changed.push(name);
      } finally {
        made.close();
      }
    }
    return [...new Set(changed)];
  }

  /** Commits what is waiting and closes the file; a second call does nothing. @throws TypeError inside a write. */
  close(): void {
    if (!this.sqlite.isOpen) return;
    this.flush();
    this.sqlite.close();
  }

  #schedule(): void {
    if (!this.sqlite.isOpen) throw new StoreError('store.closed', 'the database is closed');
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  #inTransaction<T>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T {
    try {
      // Outside the inner try: a transaction that this call did not begin is not this call's to undo.
      this.sqlite.exec(begin);
      try {
        const result = work();
        this.sqlite.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.sqlite.isTransaction) this.sqlite.exec('ROLLBACK');
        throw error;
      }
    } catch (error) {
      throw storeErrorOf(error);
    }
  }

  #inSavepoint(work: () => unknown): Outcome {
    this.sqlite.exec('SAVEPOINT work');
    let outcome: Outcome;
    try {
      outcome = { ok: true, value: synchronous(work()) };
    } catch (error) {
      // A full disk can end the whole transaction: then there is no savepoint to go back to, and all fail.
      if (!this.sqlite.isTransaction) throw error;
      this.sqlite.exec('ROLLBACK TO work');
      outcome = { ok: false, error: storeErrorOf(error) };
    }
    this.sqlite.exec('RELEASE work');
    return outcome;
  }

  #hasSchemaTable(): boolean {
    return this.sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'").get() !== undefined;
  }

  /** @throws StoreError `store.schema_newer` where another process has brought the tables of a store further */
  #assertVersions(): void {
    if (this.#migrated.size === 0) return;
    this.#allVersions ??= this.sqlite.prepare('SELECT store, version FROM schema_version');
    for (const { store, version } of this.#allVersions.all()) {
      const tables = this.#migrated.get(String(store));
      if (tables !== undefined) this.#checkedVersion(String(store), Number(version), tables);
    }
  }

  #versionOf(store: string, tables: Tables): number {
    const row = this.sqlite.prepare('SELECT version FROM schema_version WHERE store = ?').get(store);
    return this.#checkedVersion(store, Number(row?.['version'] ?? 0), tables);
  }

  #checkedVersion(store: string, version: number, { first, newest }: Tables): number {
    const file = this.sqlite.location() ?? 'the database';
    if (version > newest)
      throw new StoreError(
        'store.schema_newer',
        `${file} was written by a newer version of Colophon: its tables of ${store} have schema ${version}, and this version knows ${newest}`,
      );
    if (version > 0 && version < first)
      throw new StoreError(
        'store.schema_unreleased',
        `${file} was written by a version of Colophon that was never released: its tables of ${store} have schema ${version}, and released ones begin with ${first}`,
      );
    return version;
  }
}

/** How many of the steps have made the tables of this version. */
function stepCount(version: number, { first }: Tables): number {
  return version === 0 ? 0 : version - first + 1;
}

/** By name, what each table and index was made with. */
function tablesOf(sqlite: DatabaseSync): (readonly [name: string, made: string])[] {
  const rows = sqlite.prepare('SELECT name, type, tbl_name, sql FROM sqlite_schema').all();
  return rows.map(({ name, type, tbl_name, sql }) => [String(name), JSON.stringify([type, tbl_name, sql])]);
}

function synchronous(value: unknown): unknown {
  if (!(value instanceof Promise)) return value;
  value.catch(() => {});
  throw new TypeError('a write is synchronous: what it does after the commit would not be in it');
}
