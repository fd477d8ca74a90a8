import { type Database, LedgerStore, MerkleLogStore } from '@colophon/store';
import { type IssuanceRecord, issuanceRecord } from './issuance-record.ts';
import { readConsistently } from './ledger-snapshot.ts';

/**
 * Every issuance record, oldest first, one at a time. All of them are of one moment, also while the server writes.
 * `db` may be opened read-only.
 */
export function* exportLedger(db: Database): Generator<IssuanceRecord> {
  using _snapshot = readConsistently(db);
  const treeSize = new MerkleLogStore(db, 'ledger').head()?.size ?? 0;
  for (const row of new LedgerStore(db).rowsFrom()) yield issuanceRecord(row, treeSize);
}
