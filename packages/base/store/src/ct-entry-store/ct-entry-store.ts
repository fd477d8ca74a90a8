import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';

/** One submission to the certificate log. */
export type CtEntryRow = {
  /** Position in the tree: 0, 1, 2, … without gaps. */
  readonly entry_index: number;
  /** RFC 6962 leaf hash over `leaf_input`. */
  readonly leaf_hash: Uint8Array;
  /** SHA-256 over what was submitted, without the time: the same certificate again has the same. */
  readonly submission_hash: Uint8Array;
  /** MerkleTreeLeaf, RFC 6962 §3.4. */
  readonly leaf_input: Uint8Array;
  /** X509ChainEntry or PrecertChainEntry, RFC 6962 §4.6. */
  readonly extra_data: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** The timestamp's signature, DER, so that a repeated submission gets the first answer again. */
  readonly signature: Uint8Array;
};

const MIGRATIONS = [
  `CREATE TABLE ct_entry (
     entry_index INTEGER PRIMARY KEY,
     leaf_hash BLOB NOT NULL,
     submission_hash BLOB NOT NULL,
     leaf_input BLOB NOT NULL,
     extra_data BLOB NOT NULL,
     timestamp INTEGER NOT NULL,
     signature BLOB NOT NULL
   ) STRICT;
   CREATE UNIQUE INDEX ct_entry_leaf_hash ON ct_entry (leaf_hash);
   CREATE UNIQUE INDEX ct_entry_submission_hash ON ct_entry (submission_hash);`,
];

const COLUMNS = 'entry_index, leaf_hash, submission_hash, leaf_input, extra_data, timestamp, signature';

/** The certificates of the certificate log, in the order of its tree. */
export class CtEntryStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #byIndex: StatementSync;
  readonly #byLeafHash: StatementSync;
  readonly #bySubmission: StatementSync;
  readonly #range: StatementSync;
  readonly #from: StatementSync;

  /** @throws StoreError, those of {@link Database.migrate} */
  constructor(db: Database) {
    db.migrate('ct-entry', MIGRATIONS);
    const { sqlite } = db;
    this.#db = db;
    this.#insert = sqlite.prepare(`INSERT INTO ct_entry (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
    this.#byIndex = sqlite.prepare(`SELECT ${COLUMNS} FROM ct_entry WHERE entry_index = ?`);
    this.#byLeafHash = sqlite.prepare(`SELECT ${COLUMNS} FROM ct_entry WHERE leaf_hash = ?`);
    this.#bySubmission = sqlite.prepare(`SELECT ${COLUMNS} FROM ct_entry WHERE submission_hash = ?`);
    this.#range = sqlite.prepare(`SELECT ${COLUMNS} FROM ct_entry WHERE entry_index >= ? ORDER BY entry_index LIMIT ?`);
    this.#from = sqlite.prepare(`SELECT ${COLUMNS} FROM ct_entry WHERE entry_index >= ? ORDER BY entry_index`);
  }

  /** Call inside `db.write`, beside the tree's own append. */
  add(row: CtEntryRow): void {
    this.#insert.run(
      row.entry_index,
      row.leaf_hash,
      row.submission_hash,
      row.leaf_input,
      row.extra_data,
      row.timestamp,
      row.signature,
    );
  }

  findByIndex(entryIndex: number): CtEntryRow | undefined {
    return this.#db.read(() => this.#byIndex.get(entryIndex)) as CtEntryRow | undefined;
  }

  findByLeafHash(leafHash: Uint8Array): CtEntryRow | undefined {
    return this.#db.read(() => this.#byLeafHash.get(leafHash)) as CtEntryRow | undefined;
  }

  findBySubmission(submissionHash: Uint8Array): CtEntryRow | undefined {
    return this.#db.read(() => this.#bySubmission.get(submissionHash)) as CtEntryRow | undefined;
  }

  /** At most `limit` rows from `entryIndex` on. */
  range(entryIndex: number, limit: number): CtEntryRow[] {
    return this.#db.read(() => this.#range.all(entryIndex, limit)) as CtEntryRow[];
  }

  /** Every row from `entryIndex` on, one at a time. */
  *rowsFrom(entryIndex = 0): Generator<CtEntryRow> {
    for (const row of this.#from.iterate(entryIndex)) yield row as CtEntryRow;
  }
}
