export { type Checkpoint, formatCheckpoint, type ParsedCheckpoint, parseCheckpoint } from './checkpoint/checkpoint.ts';
export { type ConsistencyClaim, consistencyProof, verifyConsistency } from './consistency-proof/consistency-proof.ts';
export { EMPTY_ROOT, equalBytes, HASH_BYTES, hashChildren, hashLeaf } from './hash/hash.ts';
export { type InclusionClaim, inclusionProof, verifyInclusion } from './inclusion-proof/inclusion-proof.ts';
export {
  ecdsaKeyHash,
  MAX_NOTE_LENGTH,
  MAX_NOTE_SIGNATURES,
  type NoteSignature,
  type NoteSigner,
  parseNote,
  type SignedNote,
  signNote,
} from './note/note.ts';
export {
  MERKLE_ISSUE_CODES,
  type MerkleIssue,
  type MerkleIssueCode,
  type MerkleParseResult,
} from './parse-result/parse-result.ts';
export { rootFromLeafHashes, rootHash } from './root/root.ts';
export { type NodeReader, nodesOfLeaf, type TreeNode } from './tree-node/tree-node.ts';
