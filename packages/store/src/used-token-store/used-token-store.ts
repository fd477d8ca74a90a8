import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';

const MIGRATIONS = [
  `CREATE TABLE used_token (token_key BLOB PRIMARY KEY, forget_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE INDEX used_token_forget_at ON used_token (forget_at);`,
];

/** Which identity tokens were exchanged already. Only keys are kept (a hash), never a token. */
export class UsedTokenStore {
  readonly #insert: StatementSync;
  readonly #forget: StatementSync;

  constructor(db: Database) {
    db.migrate('used-token', MIGRATIONS);
    this.#insert = db.sqlite.prepare('INSERT OR IGNORE INTO used_token (token_key, forget_at) VALUES (?, ?)');
    this.#forget = db.sqlite.prepare('DELETE FROM used_token WHERE forget_at < ?');
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
