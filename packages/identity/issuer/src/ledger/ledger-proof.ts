import { type Database, type FoundToken, findToken } from '@colophon/store';
import { hex, issuanceRecord } from './issuance-record.ts';
import type { IssuanceRecord } from './issuance-record-result.ts';
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

/** A token's record, with its inclusion proof where a checkpoint covers it. */
export function provenRecord({ row, erasure, covered }: FoundToken): ProvenRecord {
  const record = issuanceRecord(row, covered?.head.size ?? 0, erasure);
  if (covered === undefined) return { ...record, proof: null };
  const { head, path } = covered;
  return {
    ...record,
    proof: {
      leaf_index: row.seq,
      tree_size: head.size,
      root_hash: hex(head.root),
      hashes: path.map(hex),
      checkpoint: head.note,
    },
  };
}

/** From a file, the record of one token; undefined where it was not issued. `db` may be opened read-only. */
export function ledgerProof(db: Database, jti: string): ProvenRecord | undefined {
  using snapshot = new LedgerSnapshot(db);
  const found = findToken(snapshot.ledger, snapshot.tree, jti);
  return found && provenRecord(found);
}
