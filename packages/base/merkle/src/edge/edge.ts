import { hashChildren, isHash, isHashList } from '../hash/hash.ts';

/**
 * The complete subtrees that a tree of `size` leaves ends in, by level, from the inclusion proof of its last leaf in it:
 * what {@link grownTree} goes on from. Nothing is verified: only an edge from which the tree grows to a root that is known is one.
 * @param path audit path of leaf `size - 1`, nearest to the leaf first
 * @returns undefined where the path has not the length that the size demands, or a hash is none
 */
export function edgeFromProof(
  size: number,
  lastLeafHash: Uint8Array,
  path: readonly Uint8Array[],
): (Uint8Array | undefined)[] | undefined {
  if (!Number.isSafeInteger(size) || size < 1 || !isHash(lastLeafHash) || !isHashList(path)) return undefined;
  const edge: (Uint8Array | undefined)[] = [];
  const siblings = [...path];
  let hash: Uint8Array | undefined = lastLeafHash;
  let index = size - 1;
  for (let level = 0; ; level++) {
    // A left child: what is complete so far is a subtree of the edge, and above it nothing is.
    if (index % 2 === 0 && hash !== undefined) {
      edge[level] = hash;
      hash = undefined;
    }
    if (index === 0) return siblings.length === 0 ? edge : undefined;
    if (index % 2 === 1) {
      const sibling = siblings.shift();
      if (sibling === undefined) return undefined;
      if (hash === undefined) edge[level] = sibling;
      else hash = hashChildren(sibling, hash);
    }
    index = Math.floor(index / 2);
  }
}
