import { EMPTY_ROOT, equalBytes, hashChildren, isHash, isHashList } from '../hash/hash.ts';
import { rangeRoot } from '../root/root.ts';
import { type NodeReader, requireSize, splitPoint } from '../tree-node/tree-node.ts';

/** What a consistency proof claims: the tree of `second` leaves begins with the leaves of the tree of `first`. */
export type ConsistencyClaim = {
  readonly first: number;
  readonly second: number;
  readonly firstRoot: Uint8Array;
  readonly secondRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
};

/**
 * The proof that the tree of the first `second` leaves extends the tree of the first `first` (RFC 6962 §2.1.2); empty
 * where `first` is 0 or equals `second`. Reads O(log second) nodes.
 * @throws TypeError unless 0 ≤ first ≤ second < 2^53.
 */
export function consistencyProof(first: number, second: number, read: NodeReader): Uint8Array[] {
  requireSize('first', first);
  requireSize('second', second);
  if (first > second) throw new TypeError('first is not above second');
  if (first === 0) return [];
  const path: Uint8Array[] = [];
  let start = 0;
  let length = second;
  while (first !== start + length) {
    const left = splitPoint(length);
    if (first <= start + left) {
      path.push(rangeRoot(start + left, length - left, read));
      length = left;
    } else {
      path.push(rangeRoot(start, left, read));
      start += left;
      length -= left;
    }
  }
  // The old tree is itself one complete subtree of the new one: then the verifier has its root already.
  if (start > 0) path.push(rangeRoot(start, length, read));
  return path.reverse();
}

/**
 * Whether `proof` shows that nothing of the first tree was changed or removed in the second. Every tree extends the
 * empty one, which has one root and an empty proof. Says false, and never throws, for malformed input.
 * @see RFC 9162 §2.1.4.2, whose proofs are those of RFC 6962.
 */
export function verifyConsistency({ first, second, firstRoot, secondRoot, proof }: ConsistencyClaim): boolean {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(second) || first < 0 || first > second) return false;
  if (!isHash(firstRoot) || !isHash(secondRoot) || !isHashList(proof)) return false;
  if (first === 0 && !equalBytes(firstRoot, EMPTY_ROOT)) return false;
  if (first === second) return proof.length === 0 && equalBytes(firstRoot, secondRoot);
  if (first === 0) return proof.length === 0;

  let position = first - 1;
  let last = second - 1;
  while (position % 2 === 1) {
    position = (position - 1) / 2;
    last = Math.floor(last / 2);
  }
  // With `first` a power of two its root is the starting point and is not repeated in the proof.
  const [seed, ...siblings] = position === 0 ? [firstRoot, ...proof] : proof;
  if (seed === undefined) return false;
  let firstHash = seed;
  let secondHash = seed;
  for (const sibling of siblings) {
    // A proof that is too long; further on `position` is not 0 where it equals `last`, so the inner loop ends.
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      firstHash = hashChildren(sibling, firstHash);
      secondHash = hashChildren(sibling, secondHash);
      while (position % 2 === 0) {
        position /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      secondHash = hashChildren(secondHash, sibling);
    }
    position = Math.floor(position / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && equalBytes(firstHash, firstRoot) && equalBytes(secondHash, secondRoot);
}
