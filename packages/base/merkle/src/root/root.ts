import { EMPTY_ROOT, hashChildren } from '../hash/hash.ts';
import { type NodeReader, nodesOfLeaf, requireSize } from '../tree-node/tree-node.ts';

/**
 * Root of the tree of the first `size` leaves (RFC 6962 §2.1); reads at most 53 nodes.
 * @throws TypeError for a size that is no whole number from 0 to 2^53 - 1.
 */
export function rootHash(size: number, read: NodeReader): Uint8Array {
  requireSize('size', size);
  return size === 0 ? EMPTY_ROOT : rangeRoot(0, size, read);
}

/**
 * Root over the `size` leaves from `start` on, one leaf or more. `start` must be a multiple of the smallest power of
 * two that is not below `size`, as every range is that RFC 6962's splitting leads to.
 */
export function rangeRoot(start: number, size: number, read: NodeReader): Uint8Array {
  let root: Uint8Array | undefined;
  let rest = size;
  let end = start + size;
  // The binary digits of `size` are the complete subtrees of the range, the lowest digit being the rightmost one.
  for (let level = 0; rest > 0; level++) {
    if (rest % 2 === 1) {
      const node = read(level, end - 1);
      root = root === undefined ? node : hashChildren(node, root);
    }
    rest = Math.floor(rest / 2);
    end = Math.floor(end / 2);
  }
  return root as Uint8Array;
}

/** Root of the tree whose leaf hashes are `hashes`, in order; keeps only the right edge of the tree in memory. */
export function rootFromLeafHashes(hashes: Iterable<Uint8Array>): Uint8Array {
  // Of each level only the newest complete subtree can still be asked for.
  const edge: Uint8Array[] = [];
  const read: NodeReader = (level) => edge[level] as Uint8Array;
  let size = 0;
  for (const hash of hashes) {
    for (const node of nodesOfLeaf(size, hash, read)) edge[node.level] = node.hash;
    size++;
  }
  return rootHash(size, read);
}
