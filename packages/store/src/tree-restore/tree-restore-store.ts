import type { Database } from '../database/database.ts';

/** What of a data folder is restored by itself: the ledger, or the transparency log together with the certificate log. */
export type RestoredPart = 'ledger' | 'logs';

const MIGRATIONS = [
  `CREATE TABLE tree_restore (
     part TEXT NOT NULL,
     number INTEGER NOT NULL,
     record TEXT NOT NULL,
     PRIMARY KEY (part, number)
   ) STRICT, WITHOUT ROWID`,
];

/** Which history each part of the file began after another was frozen, the oldest first. */
export class TreeRestoreStore {
  readonly #db: Database;

  /** @throws StoreError, those of {@link Database.migrate} */
  constructor(db: Database) {
    // A file that was never restored is read without the table.
    db.migrate('tree-restore', MIGRATIONS, 0);
    this.#db = db;
  }

  /** The records of a part, as they were written. */
  records(part: RestoredPart): readonly string[] {
    const { sqlite } = this.#db;
    return this.#db.read(() => {
      if (sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tree_restore'").get() === undefined) return [];
      const rows = sqlite.prepare('SELECT record FROM tree_restore WHERE part = ? ORDER BY number').all(part);
      return rows.map((row) => row['record'] as string);
    });
  }

  /** Adds one; call inside `db.write`. */
  add(part: RestoredPart, record: string): void {
    const number = this.records(part).length + 1;
    this.#db.sqlite.prepare('INSERT INTO tree_restore VALUES (?, ?, ?)').run(part, number, record);
  }
}
