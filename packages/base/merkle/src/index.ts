export { formatCheckpoint, parseCheckpoint } from './checkpoint/checkpoint.ts';
export { consistencyProof, verifyConsistency } from './consistency-proof/consistency-proof.ts';
export { edgeFromProof } from './edge/edge.ts';
export { grownTree } from './grown-tree/grown-tree.ts';
export { EMPTY_ROOT, equalBytes, hashLeaf } from './hash/hash.ts';
export { inclusionProof, verifyInclusion } from './inclusion-proof/inclusion-proof.ts';
export { ecdsaKeyHash, parseNote, signNote } from './note/note.ts';
export { rootFromLeafHashes, rootHash } from './root/root.ts';
export { type NodeReader, nodesOfLeaf, type TreeNode } from './tree-node/tree-node.ts';
