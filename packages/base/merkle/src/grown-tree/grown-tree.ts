import { rootHash } from '../root/root.ts';
import { type NodeReader, nodesOfLeaf, type TreeNode } from '../tree-node/tree-node.ts';

/** A tree after leaves were added; `nodes`: every complete subtree that they made. */
export type GrownTree = { readonly size: number; readonly root: Uint8Array; readonly nodes: readonly TreeNode[] };

/**
 * The tree of `size` leaves with `leafHashes` added in their order. `edge`: by level, the complete subtrees that the tree
 * ends in, one for each binary digit 1 of `size`.
 * @throws TypeError for a size that is no whole number below 2^53 - 1, a hash that is not 32 bytes, or an edge of another
 * size.
 */
export function grownTree(
  size: number,
  edge: readonly (Uint8Array | undefined)[],
  leafHashes: readonly Uint8Array[],
): GrownTree {
  // Of each level only the newest complete subtree can still be asked for.
  const newest = [...edge];
  const read: NodeReader = (level) => {
    const hash = newest[level];
    if (hash === undefined) throw new TypeError(`a tree of ${size} leaves ends in a subtree of level ${level}`);
    return hash;
  };
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
