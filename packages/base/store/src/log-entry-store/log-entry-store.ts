import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';
import { isRowDigest, rowDigest } from '../row-digest/row-digest.ts';

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
  /** The log's promise over body, time, log and index, DER. */
  readonly promise: Uint8Array;
};

/** A row with the keys that it is found by, and the digest of those it was added with. */
export type IndexedLogEntry = LogEntryRow & {
  readonly keys: readonly string[];
  readonly keys_digest: Uint8Array;
};

/** Digest of an entry's keys, in any order, without those of names. */
export function logKeysDigest(keys: readonly string[]): Uint8Array {
  return rowDigest([...new Set(keys)].sort());
}

/** Where an entry is, as a search finds it. */
export type FoundEntry = Pick<LogEntryRow, 'log_index' | 'leaf_hash'>;

const STEPS = [
  `CREATE TABLE log_entry (
     log_index INTEGER PRIMARY KEY,
     leaf_hash BLOB NOT NULL,
     body BLOB NOT NULL,
     integrated_time INTEGER NOT NULL,
     promise BLOB NOT NULL,
     keys_digest BLOB NOT NULL
   ) STRICT;
   CREATE UNIQUE INDEX log_entry_leaf_hash ON log_entry (leaf_hash);
   CREATE TABLE log_entry_key (
     key TEXT NOT NULL,
     log_index INTEGER NOT NULL,
     PRIMARY KEY (key, log_index)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE log_identity (one INTEGER PRIMARY KEY CHECK (one = 1), tree_id TEXT NOT NULL) STRICT;
   CREATE TABLE log_name_index (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     authorities TEXT NOT NULL,
     row_digest BLOB NOT NULL
   ) STRICT;`,
];

/** Number of the first schema that was released. */
const FIRST = 4;

const COLUMNS = 'log_index, leaf_hash, body, integrated_time, promise';

/** The entries of the transparency log and the keys that they are found by. */
export class LogEntryStore {
  readonly #db: Database;
  #insert: StatementSync | undefined;
  readonly #insertKey: StatementSync;
  readonly #byIndex: StatementSync;
  readonly #byLeafHash: StatementSync;
  readonly #from: StatementSync;
  readonly #search: StatementSync;
  readonly #searchAll: StatementSync;
  readonly #treeId: StatementSync;
  readonly #setTreeId: StatementSync;

  /** @throws StoreError, those of {@link Database.migrate} */
  constructor(db: Database) {
    db.migrate('log-entry', STEPS, FIRST);
    const { sqlite } = db;
    this.#db = db;
    this.#insertKey = sqlite.prepare('INSERT OR IGNORE INTO log_entry_key (key, log_index) VALUES (?, ?)');
    this.#byIndex = sqlite.prepare(`SELECT ${COLUMNS} FROM log_entry WHERE log_index = ?`);
    this.#byLeafHash = sqlite.prepare(`SELECT ${COLUMNS} FROM log_entry WHERE leaf_hash = ?`);
    this.#from = sqlite.prepare(`SELECT ${COLUMNS} FROM log_entry WHERE log_index >= ? ORDER BY log_index`);
    this.#search = sqlite.prepare(
      `SELECT e.log_index, e.leaf_hash FROM log_entry_key k JOIN log_entry e ON e.log_index = k.log_index
       WHERE k.key = ?1 AND k.log_index > ?2 ORDER BY k.log_index LIMIT ?3`,
    );
    this.#searchAll = sqlite.prepare(
      `SELECT e.log_index, e.leaf_hash FROM log_entry_key k JOIN log_entry e ON e.log_index = k.log_index
       WHERE k.key = ?1 AND k.log_index > ?4 AND NOT EXISTS (
         SELECT 1 FROM json_each(?2) other WHERE NOT EXISTS (
           SELECT 1 FROM log_entry_key o WHERE o.key = other.value AND o.log_index = k.log_index))
       ORDER BY k.log_index LIMIT ?3`,
    );
    this.#treeId = sqlite.prepare('SELECT tree_id FROM log_identity');
    this.#setTreeId = sqlite.prepare('INSERT OR IGNORE INTO log_identity (one, tree_id) VALUES (1, ?)');
  }

  /**
   * Adds the entry, its search keys, and those of names, which may change with the authorities that are known; call inside
   * `db.write`, beside the tree's own append.
   */
  add(row: LogEntryRow, keys: readonly string[], names: readonly string[] = []): void {
    this.#insert ??= this.#db.sqlite.prepare(
      `INSERT INTO log_entry (${COLUMNS}, keys_digest) VALUES (?, ?, ?, ?, ?, ?)`,
    );
    const { log_index, leaf_hash, body, integrated_time, promise } = row;
    this.#insert.run(log_index, leaf_hash, body, integrated_time, promise, logKeysDigest(keys));
    for (const key of [...keys, ...names]) this.#insertKey.run(key, log_index);
  }

  findByIndex(logIndex: number): LogEntryRow | undefined {
    return this.#db.read(() => this.#byIndex.get(logIndex)) as LogEntryRow | undefined;
  }

  findByLeafHash(leafHash: Uint8Array): LogEntryRow | undefined {
    return this.#db.read(() => this.#byLeafHash.get(leafHash)) as LogEntryRow | undefined;
  }

  /**
   * Entries that any of the keys finds, or with `all` every one of them; at most `limit`, those after the index `after`,
   * the oldest first, so that whoever adds entries under somebody's key pushes none that was there before out of the answer.
   */
  search(
    keys: readonly string[],
    { limit, all = false, after = -1 }: { readonly limit: number; readonly all?: boolean; readonly after?: number },
  ): FoundEntry[] {
    return this.#db.read(() => {
      const found = keys.map((key) => ({ key, rows: this.#search.all(key, after, limit) as FoundEntry[] }));
      if (!all) {
        const byIndex = new Map(found.flatMap(({ rows }) => rows.map((row) => [row.log_index, row])));
        return [...byIndex.values()].sort((a, b) => a.log_index - b.log_index).slice(0, limit);
      }
      // The entries of the rarest key are looked up under the others: a flood under one of them is not walked through.
      const [rarest, ...others] = found.toSorted((a, b) => a.rows.length - b.rows.length).map(({ key }) => key);
      return rarest === undefined ? [] : this.#searchAll.all(rarest, JSON.stringify(others), limit, after);
    }) as FoundEntry[];
  }

  /** Every row from `logIndex` on, one at a time: a log is larger than memory. */
  *rowsFrom(logIndex = 0): Generator<LogEntryRow> {
    for (const row of this.#from.iterate(logIndex)) yield row as LogEntryRow;
  }

  /**
   * Writes the keys of names anew, for every entry, where they were written for other authorities; call inside
   * `db.write`. `keysOf` answers with the keys of one body; all begin with `prefix`, and no other key does.
   */
  indexNames(authorities: string, prefix: string, keysOf: (body: Uint8Array) => readonly string[]): void {
    const { sqlite } = this.#db;
    const known = sqlite.prepare('SELECT authorities FROM log_name_index').get() as { authorities: string } | undefined;
    if (known?.authorities === authorities) return;
    sqlite.prepare('DELETE FROM log_entry_key WHERE substr(key, 1, ?) = ?').run(prefix.length, prefix);
    for (const { log_index, body } of this.rowsFrom()) {
      for (const key of keysOf(body)) this.#insertKey.run(key, log_index);
    }
    sqlite.prepare('INSERT OR REPLACE INTO log_name_index VALUES (1, ?, ?)').run(authorities, rowDigest([authorities]));
  }

  /** For which authorities the keys of names were written, and whether that is as it was written. */
  nameAuthorities(): { readonly authorities: string; readonly isAsWritten: boolean } | undefined {
    const row = this.#db.sqlite.prepare('SELECT * FROM log_name_index').get();
    if (row === undefined) return undefined;
    const { authorities, row_digest } = row as { authorities: string; row_digest: Uint8Array };
    return { authorities, isAsWritten: isRowDigest(row_digest, [authorities]) };
  }

  /** Every row with the keys that it is found by, one at a time, the oldest first. */
  *indexedRows(): Generator<IndexedLogEntry> {
    const { sqlite } = this.#db;
    const digests = sqlite.prepare('SELECT keys_digest FROM log_entry ORDER BY log_index');
    const keys = sqlite.prepare('SELECT log_index, key FROM log_entry_key ORDER BY log_index').iterate();
    const digest = digests.iterate();
    let key = keys.next();
    for (const row of this.rowsFrom()) {
      const own: string[] = [];
      for (; !key.done && Number(key.value['log_index']) <= row.log_index; key = keys.next()) {
        if (key.value['log_index'] === row.log_index) own.push(String(key.value['key']));
      }
      const { value } = digest.next();
      yield { ...row, keys: own, keys_digest: value?.['keys_digest'] as Uint8Array };
    }
    keys.return?.();
    digest.return?.();
  }

  /** Rows about the log as a whole of which there may be one, and that are not that one. */
  strayIdentities(): number {
    const stray =
      'SELECT (SELECT count(*) FROM log_identity WHERE one <> 1) + (SELECT count(*) FROM log_name_index WHERE one <> 1) AS count';
    return Number(this.#db.sqlite.prepare(stray).get()?.['count']);
  }

  /** Keys in the index that lead to no entry. */
  strayKeys(): number {
    const stray =
      'SELECT count(*) AS count FROM log_entry_key WHERE log_index NOT IN (SELECT log_index FROM log_entry)';
    return Number(this.#db.sqlite.prepare(stray).get()?.['count']);
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
