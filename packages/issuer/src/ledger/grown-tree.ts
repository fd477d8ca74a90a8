import { type NodeReader, nodesOfLeaf, rootHash, type TreeNode } from '@colophon/merkle';

export type GrownTree = { readonly size: number; readonly root: Uint8Array; readonly nodes: readonly TreeNode[] };

/** The tree of `size` leaves that ends in the subtrees of `edge` (by level), with `leafHashes` added in their order. */
export function grownTree(
  size: number,
  edge: readonly (Uint8Array | undefined)[],
  leafHashes: readonly Uint8Array[],
): GrownTree {
  // Of each level only the newest complete subtree can still be asked for.
  const newest = [...edge];
  const read: NodeReader = (level) => newest[level]!;
  const nodes: TreeNode[] = [];
  leafHashes.forEach((leafHash, i) => {
    for (const node of nodesOfLeaf(size + i, leafHash, read)) {
      nodes.push(node);
      newest[node.level] = node.hash;
    }
  });
  const grown = size + leafHashes.length;
  return { size: grown, root: rootHash(grown, read), nodes };
}
