import { grownTree } from '@colophon/merkle';
import type { LedgerStorage } from '../src/ledger/ledger-storage.ts';
import type { TreeHead } from '../src/merkle-log-store/merkle-log-store.ts';
import { StoreError } from '../src/store-error/store-error.ts';

/** One step of the tree, of at most `limit` leaves: the new head, undefined where nothing waits or another was faster. */
export async function sequenceSome(ledger: LedgerStorage, limit: number): Promise<TreeHead | undefined> {
  const { head: from, edge, leafHashes } = await ledger.pending(limit);
  if (leafHashes.length === 0) return undefined;
  const { size, root, nodes } = grownTree(from?.size ?? 0, edge, leafHashes);
  // Where a signature would be made: others go on meanwhile.
  await new Promise(setImmediate);
  const to = { size, root, note: `note ${size}`, signedAt: size };
  try {
    await ledger.advance({ from, nodes, to });
    return to;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store.conflict') return undefined;
    throw error;
  }
}
