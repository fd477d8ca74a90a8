import { equalBytes, hashChildren, isHash, isHashList } from '../hash/hash.ts';
import { rangeRoot } from '../root/root.ts';
import { type NodeReader, requireSize, splitPoint } from '../tree-node/tree-node.ts';

/** What an inclusion proof claims: leaf number `index` of the tree with `size` leaves and this `root` is `leafHash`. */
export type InclusionClaim = {
  readonly index: number;
  readonly size: number;
  readonly leafHash: Uint8Array;
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
};

/**
 * The audit path of leaf `index` in the tree of the first `size` leaves, nearest to the leaf first (RFC 6962 §2.1.1).
 * Reads O(log size) nodes.
 * @throws TypeError unless 0 ≤ index < size < 2^53.
 */
export function inclusionProof(index: number, size: number, read: NodeReader): Uint8Array[] {
  requireSize('index', index);
  requireSize('size', size);
  if (index >= size) throw new TypeError('index lies below size');
  const path: Uint8Array[] = [];
  let start = 0;
  let length = size;
  while (length > 1) {
    const left = splitPoint(length);
    if (index < start + left) {
      path.push(rangeRoot(start + left, length - left, read));
      length = left;
    } else {
      path.push(rangeRoot(start, left, read));
      start += left;
      length -= left;
    }
  }
  return path.reverse();
}

/**
 * Whether `proof` shows that the leaf is in the tree. Says false, and never throws, for sizes that are no whole numbers
 * and for hashes or paths of a wrong length.
 * @see RFC 9162 §2.1.3.2, whose proofs are those of RFC 6962.
 */
export function verifyInclusion({ index, size, leafHash, proof, root }: InclusionClaim): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false;
  if (!isHash(leafHash) || !isHash(root) || !isHashList(proof)) return false;
  let hash = leafHash;
  let position = index;
  let last = size - 1;
  for (const sibling of proof) {
    // A path that is too long; further on `position` is not 0 where it equals `last`, so the inner loop ends.
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      hash = hashChildren(sibling, hash);
      // At the right edge the levels on which this subtree has no sibling are skipped.
      while (position % 2 === 0) {
        position /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash = hashChildren(hash, sibling);
    }
    position = Math.floor(position / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && equalBytes(hash, root);
}
