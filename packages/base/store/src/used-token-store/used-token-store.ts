import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';
import { isRowDigest, rowDigest } from '../row-digest/row-digest.ts';

/** Tokens that were exchanged for a certificate, and tokens by which a caller asked for another token. */
export type UsedTokenTable = 'used_token' | 'used_caller_token';

const stepsOf = (table: UsedTokenTable) => [
  `CREATE TABLE ${table} (
     token_key BLOB PRIMARY KEY,
     forget_at INTEGER NOT NULL,
     row_digest BLOB NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX ${table}_forget_at ON ${table} (forget_at);`,
];

/** Number of the first schema that was released. */
const FIRST = 3;

/** Which tokens were used already, by what they are used for. Only keys are kept (a hash), never a token. */
export class UsedTokenStore {
  readonly #db: Database;
  readonly #table: UsedTokenTable;
  readonly #forget: StatementSync;
  #insert: StatementSync | undefined;

  constructor(db: Database, table: UsedTokenTable = 'used_token') {
    db.migrate(table.replaceAll('_', '-'), stepsOf(table), FIRST);
    this.#db = db;
    this.#table = table;
    this.#forget = db.sqlite.prepare(`DELETE FROM ${table} WHERE forget_at < ?`);
  }

  /**
   * True for the first use of the token, false for every other one until `forgetAt` (seconds since the epoch), from
   * when on the token must be invalid anyhow. Call inside `db.write`: the answer counts once that is durable.
   */
  use(tokenKey: Uint8Array, { now, forgetAt }: { now: number; forgetAt: number }): boolean {
    this.#forget.run(now);
    this.#insert ??= this.#db.sqlite.prepare(
      `INSERT OR IGNORE INTO ${this.#table} (token_key, forget_at, row_digest) VALUES (?, ?, ?)`,
    );
    return Number(this.#insert.run(tokenKey, forgetAt, rowDigest([tokenKey, forgetAt])).changes) === 1;
  }

  /** How many there are, and how many are not as they were written. */
  check(): { readonly rows: number; readonly changed: number } {
    let [rows, changed] = [0, 0];
    for (const row of this.#db.sqlite.prepare(`SELECT * FROM ${this.#table}`).iterate()) {
      const { token_key, forget_at, row_digest } = row as UsedTokenRow;
      rows += 1;
      if (!isRowDigest(row_digest, [token_key, forget_at])) changed += 1;
    }
    return { rows, changed };
  }
}

type UsedTokenRow = {
  readonly token_key: Uint8Array;
  readonly forget_at: number;
  readonly row_digest: Uint8Array;
};
