import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { StoreError } from '../store-error/store-error.ts';
import { passwordFromFile } from './password-file.ts';
import { driverAddress, publicAddress, withPassword } from './postgresql-address.ts';
import { postgresqlErrorOf, sqlStateOf } from './postgresql-error.ts';
import { columnReader, numberedPlaceholders } from './postgresql-text.ts';
import type { SqlDatabase, SqlRow, SqlStatement, SqlValue } from './sql-database.ts';

/** How long the server has for one statement, milliseconds. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** How long a statement waits for rows that somebody else holds, milliseconds. */
const LOCK_TIMEOUT_MS = 10_000;
/** How long a transaction may stand still before the server ends it: its locks must not outlive a dead client. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
/** After so long without an answer the server is taken for dead: its own time, and some for the way. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
const CONNECTION_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 10;

/** Numbers of the schemas of one store that this program knows. */
type Known = { readonly first: number; readonly newest: number };

/** A {@link SqlDatabase} on a PostgreSQL server, shared by as many processes as want. */
export class PostgresqlDatabase implements SqlDatabase {
  readonly dialect = 'postgresql';
  readonly address: string;
  readonly #pool: Pool;
  readonly #migrated = new Map<string, Known>();
  #isClosed = false;

  private constructor(pool: Pool, address: string) {
    this.#pool = pool;
    this.address = address;
  }

  /**
   * Connects once, so that a wrong address is told here.
   * @throws StoreError `store.address_invalid`, `store.unauthorized`, `store.unavailable`
   */
  static async open(
    address: string,
    { connectionTimeoutMs = CONNECTION_TIMEOUT_MS }: { readonly connectionTimeoutMs?: number } = {},
  ): Promise<PostgresqlDatabase> {
    const shown = publicAddress(address);
    // Only who has a server pays for loading its driver.
    const { Client, Pool } = await import('pg');
    const config = {
      connectionString: driverAddress(address),
      fallback_application_name: 'colophon',
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: connectionTimeoutMs,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      types: { getTypeParser: columnReader },
    };
    try {
      // Reads the address, and the files of keys that it names, without connecting.
      const { host, port, database = '', user = '', password } = new Client(config);
      const kept = password == null ? passwordFromFile({ host, port, database, user }) : undefined;
      if (kept !== undefined) config.connectionString = withPassword(config.connectionString, kept);
    } catch (cause) {
      throw new StoreError('store.address_invalid', `${shown}: ${(cause as Error).message}`, { cause });
    }
    const pool = new Pool(config);
    // A connection that breaks while nobody uses it: the next question opens another.
    pool.on('error', () => {});
    const db = new PostgresqlDatabase(pool, shown);
    try {
      await db.all({ text: 'SELECT 1' });
      return db;
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  async all({ text, values = [] }: SqlStatement): Promise<readonly SqlRow[]> {
    return this.#withClient(async (client) => (await client.query(numberedPlaceholders(text), [...values])).rows);
  }

  // READ COMMITTED: a statement that waits for another's row looks at it again, so that of two writers who expect the
  // same revision the second changes nothing and is told `store.conflict`.
  async write(statements: readonly SqlStatement[]): Promise<readonly number[]> {
    if (statements.length === 0) return [];
    return this.#inTransaction(async (client) => {
      await this.#holdVersions(client);
      const counts: number[] = [];
      for (const statement of statements) counts.push(await changedRows(client, statement));
      return counts;
    });
  }

  async migrate(store: string, steps: readonly string[], first = 1): Promise<void> {
    const known: Known = { first, newest: first + steps.length - 1 };
    const isNewest = (await this.#versionOf(store, known)) === known.newest;
    if (!isNewest) await this.#bringUp(store, steps, known);
    this.#migrated.set(store, known);
  }

  async #bringUp(store: string, steps: readonly string[], known: Known): Promise<void> {
    await this.#inTransaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
      await client.query(
        'CREATE TABLE IF NOT EXISTS colophon_schema_version (store TEXT PRIMARY KEY, version BIGINT NOT NULL)',
      );
      const found = await client.query('SELECT version FROM colophon_schema_version WHERE store = $1', [store]);
      const version = checkedVersion(store, found.rows[0]?.['version'], known);
      const done = version === 0 ? 0 : version - known.first + 1;
      for (const step of steps.slice(done)) await client.query(step.replace(/\bBYTES\b/g, 'BYTEA'));
      await client.query(
        'INSERT INTO colophon_schema_version VALUES ($1, $2) ON CONFLICT (store) DO UPDATE SET version = excluded.version',
        [store, known.newest],
      );
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }

  async #versionOf(store: string, known: Known): Promise<number> {
    try {
      const text = 'SELECT version FROM colophon_schema_version WHERE store = ?';
      const [row] = await this.all({ text, values: [store] });
      return checkedVersion(store, row?.['version'], known);
    } catch (error) {
      if (sqlStateOf(error) === UNDEFINED_TABLE) return 0;
      throw error;
    }
  }

  /** Until the end of the transaction nobody migrates; what somebody did before is seen. */
  async #holdVersions(client: PoolClient): Promise<void> {
    if (this.#migrated.size === 0) return;
    await client.query('SELECT pg_advisory_xact_lock_shared($1)', [LOCK_KEY]);
    const { rows } = await client.query('SELECT store, version FROM colophon_schema_version');
    for (const { store, version } of rows) {
      const known = this.#migrated.get(store);
      if (known !== undefined) checkedVersion(store, version, known);
    }
  }

  async #inTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#withClient(async (client) => {
      await client.query('BEGIN');
      let result: T;
      try {
        result = await work(client);
      } catch (error) {
        // Where the connection is gone the server undoes it by itself.
        await client.query('ROLLBACK').catch(() => {});
        throw error;
      }
      try {
        await client.query('COMMIT');
      } catch (cause) {
        if (isRefusal(sqlStateOf(cause))) throw cause;
        throw new StoreError('store.outcome_unknown', 'PostgreSQL: the connection broke during the commit', { cause });
      }
      return result;
    });
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StoreError('store.closed', 'the database is closed');
    try {
      const client = await this.#pool.connect();
      // Without a listener a connection that breaks between two statements ends the program.
      const ignore = () => {};
      client.on('error', ignore);
      let isUsable = false;
      try {
        const result = await work(client);
        isUsable = true;
        return result;
      } catch (error) {
        isUsable = error instanceof StoreError ? error.code === 'store.conflict' : isHarmless(sqlStateOf(error));
        throw error;
      } finally {
        client.off('error', ignore);
        client.release(!isUsable);
      }
    } catch (error) {
      throw postgresqlErrorOf(error);
    }
  }
}

/** One lock for all stores: who migrates holds it alone, who writes shares it. */
const LOCK_KEY = createHash('sha256').update('colophon schema').digest().readInt32BE(0);
const UNDEFINED_TABLE = '42P01';

// After a broken constraint (23) or a wrong statement (42) the connection is as good as before.
function isHarmless(state: string | undefined): boolean {
  return state !== undefined && /^(?:2[23]|40|42)/.test(state);
}

// A server that shuts down may have committed before it says so; only what it refuses is certainly not there.
function isRefusal(state: string | undefined): boolean {
  return state !== undefined && !/^(?:08|57|58|XX)/.test(state);
}

async function changedRows(client: PoolClient, { text, values = [], changes }: SqlStatement): Promise<number> {
  const changed = (await client.query(numberedPlaceholders(text), values as SqlValue[])).rowCount ?? 0;
  if (changes === undefined || changed === changes) return changed;
  throw new StoreError(
    'store.conflict',
    `another process changed the data after it was read: ${changed} of ${changes} rows were unchanged`,
  );
}

function checkedVersion(store: string, found: SqlValue | undefined, { first, newest }: Known): number {
  const version = Number(found ?? 0);
  if (version > 0 && version < first)
    throw new StoreError(
      'store.schema_unreleased',
      `a version of Colophon that was never released made the tables of ${store}: they have schema ${version}, and released ones begin with ${first}`,
    );
  if (version <= newest) return version;
  throw new StoreError(
    'store.schema_newer',
    `a newer version of Colophon made the tables of ${store}: they have schema ${version}, and this version knows ${newest}`,
  );
}
