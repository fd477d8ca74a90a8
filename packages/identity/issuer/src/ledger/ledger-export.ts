import type { Database } from '@colophon/store';
import { issuanceRecord } from './issuance-record.ts';
import type { IssuanceRecord } from './issuance-record-result.ts';
import { LedgerSnapshot } from './ledger-snapshot.ts';

/**
 * Every issuance record, oldest first, one at a time, all of one moment. `db` is a connection of its own, best opened
 * read-only: until the last record is taken it is in a transaction.
 */
export function* exportLedger(db: Database): Generator<IssuanceRecord> {
  using snapshot = new LedgerSnapshot(db);
  const treeSize = snapshot.tree.head()?.size ?? 0;
  for (const row of snapshot.ledger.rowsFrom()) {
    const erasure = row.payload === null ? snapshot.ledger.erasureRecord(row.seq) : undefined;
    yield issuanceRecord(row, treeSize, erasure);
  }
}
