import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';
import { StoreError } from '../store-error/store-error.ts';

/** One issued token, or one event, as the ledger keeps it. */
export type LedgerRow = {
  /** Position in the ledger and in its tree: 0, 1, 2, … without gaps. */
  readonly seq: number;
  readonly jti: string;
  /** Seconds since the epoch; the `iat` of the payload. */
  readonly issued_at: number;
  /** 16 random bytes; null once erased, so that nobody can try guesses against the leaf. */
  readonly salt: Uint8Array | null;
  /** How the leaf is made of the row: 2. */
  readonly leaf_version: number;
  /** RFC 6962 leaf hash; stays for ever. */
  readonly leaf_hash: Uint8Array;
  /** The token's payload segment before base64url, byte for byte; null once erased. */
  readonly payload: string | null;
  /** JSON: on whose authority the row was written. Null where that is not recorded, and once erased. */
  readonly authorization: string | null;
  /** SHA-256 over salt, payload and authorization, kept once they are erased; null before. */
  readonly content_hash: Uint8Array | null;
};

export type NewLedgerRow = Omit<LedgerRow, 'seq' | 'content_hash'>;

/** That a row was erased, and which event says so. */
export type ErasureRow = {
  /** Of the row that was erased. */
  readonly seq: number;
  /** Of the row that records it. */
  readonly event_seq: number;
  /** 0 while old copies of what was erased may still be in the file. */
  readonly is_finished: number;
};

/** That a row of a frozen ledger was erased: the event stands in the ledger that is written, and a copy of it here. */
export type LaterErasure = {
  /** Of the row that was erased. */
  readonly seq: number;
  /** Payload of the event. */
  readonly event: string;
  /** 0 while old copies of what was erased may still be in the file. */
  readonly is_finished: number;
};

/** What is to be erased, and the row that records it. */
export type Erasure = { readonly jti: string; readonly contentHash: Uint8Array; readonly event: NewLedgerRow };

const STEPS = [
  `CREATE TABLE ledger_entry (
     seq INTEGER PRIMARY KEY,
     jti TEXT NOT NULL,
     issued_at INTEGER NOT NULL,
     salt BLOB,
     leaf_hash BLOB NOT NULL,
     payload TEXT,
     authorization TEXT,
     leaf_version INTEGER NOT NULL,
     content_hash BLOB
   ) STRICT;
   CREATE UNIQUE INDEX ledger_entry_jti ON ledger_entry (jti);
   CREATE TABLE ledger_erasure (
     seq INTEGER PRIMARY KEY,
     event_seq INTEGER NOT NULL UNIQUE,
     is_finished INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE ledger_later_erasure (
     seq INTEGER PRIMARY KEY,
     event TEXT NOT NULL,
     is_finished INTEGER NOT NULL
   ) STRICT;`,
];

/** Number of the first schema that was released. */
const FIRST = 5;

/** A row as it is stored: by column. */
export type RawLedgerRow = readonly [
  seq: number,
  jti: string,
  issued_at: number,
  salt: Uint8Array | null,
  leaf_version: number,
  leaf_hash: Uint8Array,
  payload: string | null,
  authorization: string | null,
  content_hash: Uint8Array | null,
];

const ROWS_PER_READ = 256;

const NEW_COLUMNS = 'seq, jti, issued_at, salt, leaf_version, leaf_hash, payload, authorization';
const COLUMNS = `${NEW_COLUMNS}, content_hash`;

/** Rows of issued tokens and of events, in the order of issue (contract §2.1; who may read them is the caller's question). */
export class LedgerStore {
  readonly #db: Database;
  readonly #next: StatementSync;
  #insert: StatementSync | undefined;
  readonly #byJti: StatementSync;
  readonly #last: StatementSync;
  readonly #from: StatementSync;
  readonly #leaves: StatementSync;
  readonly #raw: StatementSync;
  readonly #erasures: StatementSync;
  readonly #erasureOf: StatementSync;
  readonly #laterErasures: StatementSync;
  readonly #laterErasureOf: StatementSync;
  #erase: StatementSync | undefined;

  /** @throws StoreError as Database.migrate does. */
  constructor(db: Database) {
    db.migrate('ledger', STEPS, FIRST);
    this.#db = db;
    const { sqlite } = db;
    this.#next = sqlite.prepare('SELECT coalesce(max(seq) + 1, 0) AS seq FROM ledger_entry');
    this.#byJti = sqlite.prepare(`SELECT ${COLUMNS} FROM ledger_entry WHERE jti = ?`);
    this.#last = sqlite.prepare(`SELECT ${COLUMNS} FROM ledger_entry ORDER BY seq DESC LIMIT 1`);
    this.#from = sqlite.prepare(`SELECT ${COLUMNS} FROM ledger_entry WHERE seq >= ? ORDER BY seq`);
    this.#leaves = sqlite.prepare('SELECT leaf_hash FROM ledger_entry WHERE seq >= ? ORDER BY seq LIMIT ?');
    this.#raw = sqlite.prepare(`SELECT ${COLUMNS} FROM ledger_entry WHERE seq >= ? ORDER BY seq LIMIT ?`);
    this.#raw.setReturnArrays(true);
    this.#erasures = sqlite.prepare('SELECT seq, event_seq, is_finished FROM ledger_erasure ORDER BY seq');
    this.#erasureOf = sqlite.prepare(
      `SELECT ${COLUMNS} FROM ledger_entry WHERE seq = (SELECT event_seq FROM ledger_erasure WHERE seq = ?)`,
    );
    this.#laterErasures = sqlite.prepare('SELECT seq, event, is_finished FROM ledger_later_erasure ORDER BY seq');
    this.#laterErasureOf = sqlite.prepare('SELECT event AS payload FROM ledger_later_erasure WHERE seq = ?');
  }

  /** Adds rows in their order, all or none; call inside `db.write`. Answers with the seq of the first. */
  append(rows: readonly NewLedgerRow[]): number {
    this.#insert ??= this.#db.sqlite.prepare(
      `INSERT INTO ledger_entry (${NEW_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const first = this.size();
    let seq = first;
    for (const row of rows) {
      const { jti, issued_at, salt, leaf_version, leaf_hash, payload, authorization } = row;
      this.#insert.run(seq, jti, issued_at, salt, leaf_version, leaf_hash, payload, authorization);
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

  /** Every row as it is stored, in its column order, some at a time: for whoever reads millions. */
  *rawRows(): Generator<RawLedgerRow> {
    for (let next = 0; ; ) {
      const rows = this.#db.read(() => this.#raw.all(next, ROWS_PER_READ)) as unknown as RawLedgerRow[];
      yield* rows;
      if (rows.length < ROWS_PER_READ) return;
      next = rows.at(-1)![0] + 1;
    }
  }

  /** At most `limit` leaf hashes from `seq` on. */
  leafHashesFrom(seq: number, limit: number): Uint8Array[] {
    return this.#db.read(() => this.#leaves.all(seq, limit)).map((row) => row['leaf_hash'] as Uint8Array);
  }

  /** Every erasure, by the number of the row that was erased. */
  erasures(): ErasureRow[] {
    return this.#db.read(() => this.#erasures.all()) as ErasureRow[];
  }

  /** Every erasure that a later ledger records, by the number of the row that was erased. */
  laterErasures(): LaterErasure[] {
    return this.#db.read(() => this.#laterErasures.all()) as LaterErasure[];
  }

  /** The row that records that row `seq` was erased. */
  erasureOf(seq: number): LedgerRow | undefined {
    return this.#db.read(() => this.#erasureOf.get(seq)) as LedgerRow | undefined;
  }

  /** What records that row `seq` was erased: a row of this ledger, or of the one that is written since it was frozen. */
  erasureRecord(seq: number): Pick<LedgerRow, 'payload'> | undefined {
    const later = () => this.#db.read(() => this.#laterErasureOf.get(seq)) as Pick<LedgerRow, 'payload'> | undefined;
    return this.erasureOf(seq) ?? later();
  }

  /** Payload of the event that names a token as erased. Reads every row. */
  erasureEventOf(jti: string): string | undefined {
    // An event begins with its kind, and no token does.
    const events = this.#db.sqlite.prepare(
      `SELECT payload FROM ledger_entry WHERE payload LIKE '{"event":"token.erased",%' AND instr(payload, ?) > 0`,
    );
    const found = this.#db.read(() => events.get(`"erased_jti":${JSON.stringify(jti)}`));
    return found?.['payload'] as string | undefined;
  }

  /**
   * Drops payload, salt and authorization, keeps the leaf and `contentHash`, and appends `event`, which records it; call inside
   * `db.write`. Old copies in the file are left: {@link SqliteLedger.finishErasures}.
   * @throws StoreError `store.conflict` where there is no such row, or it is erased
   */
  erase({ jti, contentHash, event }: Erasure): void {
    const seq = this.#drop(jti, contentHash);
    const event_seq = this.append([event]);
    this.#db.sqlite.prepare('INSERT INTO ledger_erasure VALUES (?, ?, 0)').run(seq, event_seq);
  }

  /**
   * As erase, of a ledger that is frozen, into which no row is written: the event stands in a later one.
   * @param event its payload
   * @throws StoreError `store.conflict` where there is no such row, or it is erased
   */
  eraseLater(jti: string, contentHash: Uint8Array, event: string): void {
    const seq = this.#drop(jti, contentHash);
    this.#db.sqlite.prepare('INSERT INTO ledger_later_erasure VALUES (?, ?, 0)').run(seq, event);
  }

  /** Notes that no old copy of what was erased is left of any of these rows; call inside `db.write`. */
  finish(seqs: readonly number[]): void {
    for (const table of ['ledger_erasure', 'ledger_later_erasure']) {
      const finish = this.#db.sqlite.prepare(`UPDATE ${table} SET is_finished = 1 WHERE seq = ?`);
      for (const seq of seqs) finish.run(seq);
    }
  }

  /** Answers with the number of the row. */
  #drop(jti: string, contentHash: Uint8Array): number {
    const row = this.findByJti(jti);
    if (row?.payload == null) throw new StoreError('store.conflict', 'there is no such row, or it is erased');
    this.#erase ??= this.#db.sqlite.prepare(
      'UPDATE ledger_entry SET payload = NULL, salt = NULL, authorization = NULL, content_hash = ? WHERE seq = ?',
    );
    this.#erase.run(contentHash, row.seq);
    return row.seq;
  }
}
