import { inclusionProof } from '@colophon/merkle';
import type { Database, LedgerStore, MerkleLogStore } from '@colophon/store';
import { hex, type IssuanceRecord, issuanceRecord } from './issuance-record.ts';
import { LedgerSnapshot } from './ledger-snapshot.ts';

/** That a leaf is under a signed checkpoint (RFC 6962 §2.1.1); hashes are lower-case hex. */
export type LedgerProof = {
  readonly leaf_index: number;
  readonly tree_size: number;
  readonly root_hash: string;
  /** Audit path, nearest to the leaf first. */
  readonly hashes: readonly string[];
  /** Signed note over the tree. */
  readonly checkpoint: string;
};

/** `proof` is null for the moment before the first checkpoint over the row. */
export type ProvenRecord = IssuanceRecord & { readonly proof: LedgerProof | null };

/** The stores that a record is read from. */
export type LedgerReader = { readonly ledger: LedgerStore; readonly tree: MerkleLogStore };

/** The record of one token with its inclusion proof under the newest checkpoint; undefined where it was not issued. */
export function readRecord({ ledger, tree }: LedgerReader, jti: string): ProvenRecord | undefined {
  const row = ledger.findByJti(jti);
  if (row === undefined) return undefined;
  const head = tree.head();
  const record = issuanceRecord(row, head?.size ?? 0);
  if (head === undefined || !record.integrated) return { ...record, proof: null };
  return {
    ...record,
    proof: {
      leaf_index: row.seq,
      tree_size: head.size,
      root_hash: hex(head.root),
      hashes: inclusionProof(row.seq, head.size, tree.read).map(hex),
      checkpoint: head.note,
    },
  };
}

/** The same from a file; `db` may be opened read-only. */
export function ledgerProof(db: Database, jti: string): ProvenRecord | undefined {
  using snapshot = new LedgerSnapshot(db);
  return readRecord(snapshot, jti);
}
