import type { Database } from '../database/database.ts';
import { isRowDigest, rowDigest } from '../row-digest/row-digest.ts';
import { StoreError } from '../store-error/store-error.ts';

/** What of a data folder is restored by itself: the ledger, or the transparency log together with the certificate log. */
export type RestoredPart = 'ledger' | 'logs';

const STEPS = [
  `CREATE TABLE tree_restore (
     part TEXT NOT NULL,
     number INTEGER NOT NULL,
     record TEXT NOT NULL,
     row_digest BLOB NOT NULL,
     PRIMARY KEY (part, number)
   ) STRICT, WITHOUT ROWID`,
];

/** Number of the first schema that was released. */
const FIRST = 3;

/** Which history each part of the file began after another was frozen, the oldest first. */
export class TreeRestoreStore {
  readonly #db: Database;

  /** @throws StoreError, those of {@link Database.migrate} */
  constructor(db: Database) {
    db.migrate('tree-restore', STEPS, FIRST);
    this.#db = db;
  }

  /** The records of a part, as they were written. @throws StoreError `store.corrupt` where one is not, or is missing */
  records(part: RestoredPart): readonly string[] {
    const { sqlite } = this.#db;
    return this.#db.read(() => {
      const rows = sqlite
        .prepare('SELECT number, record, row_digest FROM tree_restore WHERE part = ? ORDER BY number')
        .all(part) as Row[];
      return rows.map(({ number, record, row_digest }, index) => {
        if (number === index + 1 && isRowDigest(row_digest, [part, number, record])) return record;
        throw new StoreError('store.corrupt', `what restore ${index + 1} noted of the ${part} was changed`);
      });
    });
  }

  /** Adds one; call inside `db.write`. */
  add(part: RestoredPart, record: string): void {
    const number = this.records(part).length + 1;
    const digest = rowDigest([part, number, record]);
    this.#db.sqlite.prepare('INSERT INTO tree_restore VALUES (?, ?, ?, ?)').run(part, number, record, digest);
  }
}

type Row = { readonly number: number; readonly record: string; readonly row_digest: Uint8Array };
