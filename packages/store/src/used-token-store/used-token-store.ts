import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';

/** Tokens that were exchanged for a certificate, and tokens by which a caller asked for another token. */
export type UsedTokenTable = 'used_token' | 'used_caller_token';

const migrationsOf = (table: UsedTokenTable) => [
  `CREATE TABLE ${table} (token_key BLOB PRIMARY KEY, forget_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE INDEX ${table}_forget_at ON ${table} (forget_at);`,
];

/** Which tokens were used already, by what they are used for. Only keys are kept (a hash), never a token. */
export class UsedTokenStore {
  readonly #insert: StatementSync;
  readonly #forget: StatementSync;

  constructor(db: Database, table: UsedTokenTable = 'used_token') {
    db.migrate(table.replaceAll('_', '-'), migrationsOf(table));
    this.#insert = db.sqlite.prepare(`INSERT OR IGNORE INTO ${table} (token_key, forget_at) VALUES (?, ?)`);
    this.#forget = db.sqlite.prepare(`DELETE FROM ${table} WHERE forget_at < ?`);
  }

  /**
   * True for the first use of the token, false for every other one until `forgetAt` (seconds since the epoch), from
   * when on the token must be invalid anyhow. Call inside `db.write`: the answer counts once that is durable.
   */
  use(tokenKey: Uint8Array, { now, forgetAt }: { now: number; forgetAt: number }): boolean {
    this.#forget.run(now);
    return Number(this.#insert.run(tokenKey, forgetAt).changes) === 1;
  }
}
