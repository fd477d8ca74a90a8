import { hashChildren, isHash } from '../hash/hash.ts';

/**
 * Answers with the hash of the complete subtree over the leaves [index · 2^level, (index + 1) · 2^level). It is asked
 * only for subtrees that lie wholly inside the tree, and throws where it has none.
 */
export type NodeReader = (level: number, index: number) => Uint8Array;

/** One complete subtree: level 0 are the leaves, `index` counts from the left within the level. */
export type TreeNode = { readonly level: number; readonly index: number; readonly hash: Uint8Array };

/**
 * Every complete subtree that comes to be when leaf number `size` is added to a tree of `size` leaves, level 0 first.
 * Reads one left sibling for each further level, at most 52.
 * @throws TypeError for a size that is no whole number below 2^53 - 1, or a hash that is not 32 bytes.
 */
export function nodesOfLeaf(size: number, leafHash: Uint8Array, read: NodeReader): TreeNode[] {
  requireSize('size', size);
  requireSize('the next size', size + 1);
  if (!isHash(leafHash)) throw new TypeError('a leaf hash has 32 bytes');
  const nodes: TreeNode[] = [{ level: 0, index: size, hash: leafHash }];
  let hash = leafHash;
  let index = size;
  // Sizes go to 2^53: bit operators would cut them to 32 bits, so halves are divisions.
  for (let level = 0; index % 2 === 1; level++) {
    hash = hashChildren(read(level, index - 1), hash);
    index = (index - 1) / 2;
    nodes.push({ level: level + 1, index, hash });
  }
  return nodes;
}

/** @throws TypeError where `value` is no whole number from 0 to 2^53 - 1. */
export function requireSize(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`${name} is a whole number from 0 to 2^53 - 1`);
}

/** The largest power of two smaller than `size`, where RFC 6962 §2.1 splits a tree; `size` is 2 or more. */
export function splitPoint(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}
