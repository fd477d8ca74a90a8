import type { Database } from '@colophon/store';

/** Everything read until it is disposed of is of one moment; a writer in another process is neither seen nor stopped. */
export function readConsistently(db: Database): Disposable {
  db.sqlite.exec('BEGIN');
  return {
    [Symbol.dispose]() {
      if (db.sqlite.isTransaction) db.sqlite.exec('ROLLBACK');
    },
  };
}
