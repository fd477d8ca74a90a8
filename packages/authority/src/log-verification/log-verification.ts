import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { decodeBase64 } from '@colophon/encoding';
import {
  ecdsaKeyHash,
  equalBytes,
  hashLeaf,
  type NodeReader,
  nodesOfLeaf,
  parseCheckpoint,
  parseNote,
  rootHash,
} from '@colophon/merkle';
import { CtEntryStore, type Database, LogEntryStore, MerkleLogStore, type TreeHead } from '@colophon/store';
import { encodeTreeHead } from '../ct-log/timestamp.ts';
import type { VerifiedLog } from './log-result.ts';

/** What was found in one log. */
export type LogReport = VerifiedLog & {
  /** Empty where the log is whole; each is a sentence. */
  readonly problems: readonly string[];
};

type Leaf = { readonly index: number; readonly leafHash: Uint8Array; readonly content: Uint8Array };

/** Problems of one log that are told; a broken log has as many as it has entries. */
const MAX_PROBLEMS = 20;

/**
 * Reads both logs from end to end, and believes nothing that is only stored: every leaf is hashed again from its
 * content, every root is computed from these hashes, and every head that was ever signed must have that root and a
 * valid signature. Writes nothing; the database may be opened for reading alone.
 *
 * @param trust the logs' public keys, SubjectPublicKeyInfo in DER
 * @throws StoreError where the file cannot be read, or a tree contradicts its newest head
 */
export function verifyLogs(
  db: Database,
  trust: { readonly rekorPublicKey: Uint8Array; readonly ctPublicKey: Uint8Array },
): LogReport[] {
  const entries = new LogEntryStore(db);
  const certificates = new CtEntryStore(db);
  return [
    verifyLog({
      log: 'transparency',
      tree: new MerkleLogStore(db, 'rekor'),
      leaves: map(entries.rowsFrom(), (row) => ({ index: row.log_index, leafHash: row.leaf_hash, content: row.body })),
      isSigned: checkpointVerifier(trust.rekorPublicKey),
    }),
    verifyLog({
      log: 'certificate',
      tree: new MerkleLogStore(db, 'ct'),
      leaves: map(certificates.rowsFrom(), (row) => ({
        index: row.entry_index,
        leafHash: row.leaf_hash,
        content: row.leaf_input,
      })),
      isSigned: treeHeadVerifier(trust.ctPublicKey),
    }),
  ];
}

function verifyLog({
  log,
  tree,
  leaves,
  isSigned,
}: {
  log: LogReport['log'];
  tree: MerkleLogStore;
  leaves: Iterable<Leaf>;
  isSigned: (head: TreeHead) => boolean;
}): LogReport {
  const problems: string[] = [];
  const heads = tree.heads();
  // The newest complete subtree of each level: all that a root over the leaves so far needs.
  const edge: Uint8Array[] = [];
  const read: NodeReader = (level) => edge[level] as Uint8Array;
  let size = 0;
  let next = 0;
  const checkHeads = () => {
    for (; heads[next]?.size === size; next += 1) {
      const head = heads[next] as TreeHead;
      if (!equalBytes(head.root, rootHash(size, read))) problems.push(`the head of size ${size} has another root`);
      if (!isSigned(head)) problems.push(`the head of size ${size} is not signed by the log’s key`);
    }
  };
  checkHeads();
  for (const { index, leafHash, content } of leaves) {
    const hash = hashLeaf(content);
    if (index !== size) problems.push(`entry ${size} is missing: the next one is ${index}`);
    if (!equalBytes(hash, leafHash)) problems.push(`entry ${index} is not what its hash says`);
    for (const node of nodesOfLeaf(size, hash, read)) edge[node.level] = node.hash;
    size += 1;
    checkHeads();
    if (problems.length >= MAX_PROBLEMS) break;
  }
  const root = rootHash(size, read);
  if (problems.length < MAX_PROBLEMS) {
    if (next < heads.length) problems.push(`${heads.at(-1)?.size} entries were signed and ${size} are here`);
    if (tree.size() !== size) problems.push(`the tree has ${tree.size()} leaves and the log ${size} entries`);
    else if (!equalBytes(tree.root(), root)) problems.push('the tree has another root than its entries');
  }
  return { log, entry_count: size, head_count: heads.length, root_hash: Buffer.from(root).toString('hex'), problems };
}

/** Whether a head is a checkpoint, signed by the key, over that size and root. @param spki DER */
export function checkpointVerifier(spki: Uint8Array): (head: TreeHead) => boolean {
  const key = importKey(spki);
  const keyHash = ecdsaKeyHash(spki);
  return ({ note, size, root }) => {
    const parsed = parseNote(note);
    const checkpoint = parsed.ok ? parseCheckpoint(parsed.value.text) : parsed;
    if (!parsed.ok || !checkpoint.ok) return false;
    if (checkpoint.value.size !== size || !equalBytes(checkpoint.value.root, root)) return false;
    return parsed.value.signatures.some(
      (signature) =>
        equalBytes(signature.keyHash, keyHash) &&
        verify('sha256', Buffer.from(parsed.value.text), key, signature.signature),
    );
  };
}

/** Whether a head is a signed tree head of RFC 6962, signed by the key, over that size and root. @param spki DER */
export function treeHeadVerifier(spki: Uint8Array): (head: TreeHead) => boolean {
  const key = importKey(spki);
  return ({ note, size, root, signedAt }) => {
    const signature = decodeBase64(note);
    const signed = encodeTreeHead({ timestamp: signedAt, size, root });
    return signature !== undefined && verify('sha256', signed, key, signature);
  };
}

function importKey(spki: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
}

function* map<T, U>(items: Iterable<T>, change: (item: T) => U): Generator<U> {
  for (const item of items) yield change(item);
}
