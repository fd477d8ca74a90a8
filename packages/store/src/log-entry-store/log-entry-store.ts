import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';

/** One entry of the transparency log, as it was integrated. */
export type LogEntryRow = {
  /** Position in the tree: 0, 1, 2, … without gaps. */
  readonly log_index: number;
  /** RFC 6962 leaf hash over `body`. */
  readonly leaf_hash: Uint8Array;
  /** The canonical body, byte for byte what was hashed. */
  readonly body: Uint8Array;
  /** Seconds since the epoch. */
  readonly integrated_time: number;
};

const MIGRATIONS = [
  `CREATE TABLE log_entry (
     log_index INTEGER PRIMARY KEY,
     leaf_hash BLOB NOT NULL,
     body BLOB NOT NULL,
     integrated_time INTEGER NOT NULL
   ) STRICT;
   CREATE UNIQUE INDEX log_entry_leaf_hash ON log_entry (leaf_hash);
   CREATE TABLE log_entry_key (
     key TEXT NOT NULL,
     log_index INTEGER NOT NULL,
     PRIMARY KEY (key, log_index)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE log_identity (one INTEGER PRIMARY KEY CHECK (one = 1), tree_id TEXT NOT NULL) STRICT;`,
];

const COLUMNS = 'log_index, leaf_hash, body, integrated_time';

/** The entries of the transparency log and the keys that they are found by. */
export class LogEntryStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #insertKey: StatementSync;
  readonly #byIndex: StatementSync;
  readonly #byLeafHash: StatementSync;
  readonly #from: StatementSync;
  readonly #search: StatementSync;
  readonly #treeId: StatementSync;
  readonly #setTreeId: StatementSync;

  /** @throws StoreError, those of {@link Database.migrate} */
  constructor(db: Database) {
    db.migrate('log-entry', MIGRATIONS);
    const { sqlite } = db;
    this.#db = db;
    this.#insert = sqlite.prepare(`INSERT INTO log_entry (${COLUMNS}) VALUES (?, ?, ?, ?)`);
    this.#insertKey = sqlite.prepare('INSERT OR IGNORE INTO log_entry_key (key, log_index) VALUES (?, ?)');
    this.#byIndex = sqlite.prepare(`SELECT ${COLUMNS} FROM log_entry WHERE log_index = ?`);
    this.#byLeafHash = sqlite.prepare(`SELECT ${COLUMNS} FROM log_entry WHERE leaf_hash = ?`);
    this.#from = sqlite.prepare(`SELECT ${COLUMNS} FROM log_entry WHERE log_index >= ? ORDER BY log_index`);
    this.#search = sqlite.prepare(
      `SELECT e.log_index, e.leaf_hash FROM log_entry_key k JOIN log_entry e ON e.log_index = k.log_index
       WHERE k.key = ? ORDER BY k.log_index DESC LIMIT ?`,
    );
    this.#treeId = sqlite.prepare('SELECT tree_id FROM log_identity');
    this.#setTreeId = sqlite.prepare('INSERT OR IGNORE INTO log_identity (one, tree_id) VALUES (1, ?)');
  }

  /** Adds the entry and its search keys; call inside `db.write`, beside the tree's own append. */
  add(row: LogEntryRow, keys: readonly string[]): void {
    this.#insert.run(row.log_index, row.leaf_hash, row.body, row.integrated_time);
    for (const key of keys) this.#insertKey.run(key, row.log_index);
  }

  findByIndex(logIndex: number): LogEntryRow | undefined {
    return this.#db.read(() => this.#byIndex.get(logIndex)) as LogEntryRow | undefined;
  }

  findByLeafHash(leafHash: Uint8Array): LogEntryRow | undefined {
    return this.#db.read(() => this.#byLeafHash.get(leafHash)) as LogEntryRow | undefined;
  }

  /** Newest first, at most `limit`. */
  search(key: string, limit: number): Array<Pick<LogEntryRow, 'log_index' | 'leaf_hash'>> {
    return this.#db.read(() => this.#search.all(key, limit)) as Array<Pick<LogEntryRow, 'log_index' | 'leaf_hash'>>;
  }

  /** Every row from `logIndex` on, one at a time: a log is larger than memory. */
  *rowsFrom(logIndex = 0): Generator<LogEntryRow> {
    for (const row of this.#from.iterate(logIndex)) yield row as LogEntryRow;
  }

  /** The number that names this tree for ever, decimal; `draw` makes it where there is none yet. */
  treeId(draw: () => bigint): bigint {
    const known = this.knownTreeId();
    if (known !== undefined) return known;
    this.#setTreeId.run(String(draw()));
    return this.knownTreeId()!;
  }

  /** The tree's number, or undefined where the log was never started. */
  knownTreeId(): bigint | undefined {
    const row = this.#db.read(() => this.#treeId.get()) as { tree_id: string } | undefined;
    return row === undefined ? undefined : BigInt(row.tree_id);
  }
}
