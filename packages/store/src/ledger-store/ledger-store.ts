import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';

/** One issued token, or one event, as the ledger keeps it. */
export type LedgerRow = {
  /** Position in the ledger and in its tree: 0, 1, 2, … without gaps. */
  readonly seq: number;
  readonly jti: string;
  /** Seconds since the epoch; the `iat` of the payload. */
  readonly issued_at: number;
  /** 16 random bytes; null once erased, so that nobody can try guesses against the leaf. */
  readonly salt: Uint8Array | null;
  /** RFC 6962 leaf hash over SHA-256 of salt, payload and authorization; stays for ever. */
  readonly leaf_hash: Uint8Array;
  /** The token's payload segment before base64url, byte for byte; null once erased. */
  readonly payload: string | null;
  /** JSON: on whose authority the row was written. Null where that is not recorded, and once erased. */
  readonly authorization: string | null;
};

export type NewLedgerRow = Omit<LedgerRow, 'seq'>;

const MIGRATIONS = [
  `CREATE TABLE ledger_entry (
     seq INTEGER PRIMARY KEY,
     jti TEXT NOT NULL,
     issued_at INTEGER NOT NULL,
     salt BLOB,
     leaf_hash BLOB NOT NULL,
     payload TEXT
   ) STRICT;
   CREATE UNIQUE INDEX ledger_entry_jti ON ledger_entry (jti);`,
  'ALTER TABLE ledger_entry ADD COLUMN authorization TEXT',
];

/** Tables of this version are read too, where they cannot be changed: a copy that somebody keeps is still to be verified. */
const READABLE_FROM = 1;

const COLUMNS = 'seq, jti, issued_at, salt, leaf_hash, payload, authorization';

/** Rows of issued tokens and of events, in the order of issue (contract §2.1; who may read them is the caller's question). */
export class LedgerStore {
  readonly #db: Database;
  readonly #next: StatementSync;
  #insert: StatementSync | undefined;
  readonly #byJti: StatementSync;
  readonly #last: StatementSync;
  readonly #from: StatementSync;
  readonly #leaves: StatementSync;
  #erase: StatementSync | undefined;

  /** @throws StoreError as Database.migrate does. */
  constructor(db: Database) {
    db.migrate('ledger', MIGRATIONS, READABLE_FROM);
    this.#db = db;
    const { sqlite } = db;
    const found = sqlite.prepare("SELECT 1 FROM pragma_table_info('ledger_entry') WHERE name = 'authorization'").get();
    const columns = found === undefined ? COLUMNS.replace('authorization', 'NULL AS authorization') : COLUMNS;
    this.#next = sqlite.prepare('SELECT coalesce(max(seq) + 1, 0) AS seq FROM ledger_entry');
    this.#byJti = sqlite.prepare(`SELECT ${columns} FROM ledger_entry WHERE jti = ?`);
    this.#last = sqlite.prepare(`SELECT ${columns} FROM ledger_entry ORDER BY seq DESC LIMIT 1`);
    this.#from = sqlite.prepare(`SELECT ${columns} FROM ledger_entry WHERE seq >= ? ORDER BY seq`);
    this.#leaves = sqlite.prepare('SELECT leaf_hash FROM ledger_entry WHERE seq >= ? ORDER BY seq LIMIT ?');
  }

  /** Adds rows in their order, all or none; call inside `db.write`. Answers with the seq of the first. */
  append(rows: readonly NewLedgerRow[]): number {
    this.#insert ??= this.#db.sqlite.prepare(`INSERT INTO ledger_entry (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
    const first = this.size();
    let seq = first;
    for (const row of rows) {
      this.#insert.run(seq, row.jti, row.issued_at, row.salt, row.leaf_hash, row.payload, row.authorization);
      seq += 1;
    }
    return first;
  }

  /** How many rows were ever written. */
  size(): number {
    return this.#db.read(() => (this.#next.get() as { seq: number }).seq);
  }

  findByJti(jti: string): LedgerRow | undefined {
    return this.#db.read(() => this.#byJti.get(jti) as LedgerRow | undefined);
  }

  last(): LedgerRow | undefined {
    return this.#db.read(() => this.#last.get() as LedgerRow | undefined);
  }

  /** Every row from `seq` on, one at a time: a ledger is larger than memory. */
  *rowsFrom(seq = 0): Generator<LedgerRow> {
    for (const row of this.#from.iterate(seq)) yield row as LedgerRow;
  }

  /** At most `limit` leaf hashes from `seq` on. */
  leafHashesFrom(seq: number, limit: number): Uint8Array[] {
    return this.#db.read(() => this.#leaves.all(seq, limit)).map((row) => row['leaf_hash'] as Uint8Array);
  }

  /** Drops payload, salt and authorization, keeps the leaf; call inside `db.write`. False where there is no such row. */
  erase(jti: string): boolean {
    this.#erase ??= this.#db.sqlite.prepare(
      'UPDATE ledger_entry SET payload = NULL, salt = NULL, authorization = NULL WHERE jti = ?',
    );
    return Number(this.#erase.run(jti).changes) === 1;
  }
}
