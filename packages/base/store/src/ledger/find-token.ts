import { inclusionProof } from '@colophon/merkle';
import type { LedgerStore } from '../ledger-store/ledger-store.ts';
import type { MerkleLogStore } from '../merkle-log-store/merkle-log-store.ts';
import type { FoundToken } from './ledger-storage.ts';

/** One token's row with its audit path. The caller sees to it that all is read at one moment. */
export function findToken(rows: LedgerStore, tree: MerkleLogStore, jti: string): FoundToken | undefined {
  const row = rows.findByJti(jti);
  if (row === undefined) return undefined;
  const erasure = row.payload === null ? rows.erasureRecord(row.seq) : undefined;
  const known = erasure === undefined ? { row } : { row, erasure };
  const head = tree.head();
  if (head === undefined || row.seq >= head.size) return { ...known, covered: undefined };
  return { ...known, covered: { head, path: inclusionProof(row.seq, head.size, tree.read) } };
}
