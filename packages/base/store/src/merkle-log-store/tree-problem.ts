import { equalBytes, type NodeReader, nodesOfLeaf, rootHash } from '@colophon/merkle';
import type { MerkleStatements } from './merkle-statements.ts';

/**
 * The first thing in which the stored tree differs from the one that its leaves give, as a sentence; undefined where
 * nothing does. Keeps only the right edge of the tree in memory. The caller sees to it that all is read at one moment.
 */
export function treeProblem(tree: string, statements: MerkleStatements): string | undefined {
  const heads = statements.heads.all(tree) as { size: number; root: Uint8Array }[];
  const edge: Uint8Array[] = [];
  const read: NodeReader = (level) => edge[level] as Uint8Array;
  let size = 0;
  let nodeCount = 0;
  let checkedHeads = 0;
  const headProblem = (): string | undefined => {
    const head = heads[checkedHeads];
    if (head?.size !== size) return undefined;
    checkedHeads++;
    return equalBytes(rootHash(size, read), head.root) ? undefined : `the root signed at size ${size} is not its root`;
  };

  let problem = headProblem();
  for (const row of statements.level.iterate(tree, 0)) {
    if (problem) return problem;
    if (row['idx'] !== size) return `leaf ${size} is missing`;
    for (const { level, index, hash } of nodesOfLeaf(size, row['hash'] as Uint8Array, read)) {
      const stored = level === 0 ? hash : statements.node.get(tree, level, index)?.['hash'];
      if (stored === undefined || !equalBytes(stored as Uint8Array, hash))
        return `node ${index} on level ${level} is not what its leaves give`;
      edge[level] = hash;
      nodeCount++;
    }
    size++;
    problem = headProblem();
  }
  if (problem) return problem;
  if (checkedHeads < heads.length) return `${heads[checkedHeads]?.size} leaves were signed and ${size} are here`;
  if (statements.count.get(tree)?.['count'] !== nodeCount) return 'there are nodes that no leaf gives';
  return undefined;
}
