import type { KeyObject } from 'node:crypto';
import { edgeFromProof, equalBytes, grownTree, hashLeaf } from '@colophon/merkle';
import { type CertificateFields, parseCertificate, parseTbsCertificate } from '@colophon/sigstore/certificate';
import type { LogReading, ReadLog } from '../reconcile/log-reading.ts';
import { ReconciliationError } from '../reconciliation-error/reconciliation-error.ts';
import { CtClient, type CtClientOptions } from './ct-client.ts';
import { parseCtLeaf } from './ct-leaf.ts';
import { logIdOf, signerOfTreeHead } from './tree-head.ts';

export type CtLogOptions = CtClientOptions & {
  /** One of these has to have signed the tree head. */
  readonly keys: readonly KeyObject[];
  /** The first entry that is read; 0. */
  readonly start?: number | undefined;
  /** Root that the entries before `start` must have. */
  readonly startRoot?: Uint8Array | undefined;
};

/**
 * Reads a certificate log (RFC 6962) up to its newest tree head. The head must be signed by a pinned key, and the entries
 * must be the whole of its tree: the root is computed from them, and from the subtrees that the entries before
 * `start` make, so an entry that is left out or exchanged is noticed.
 * The reading rejects with ReconciliationError.
 */
export function ctLog(options: CtLogOptions): LogReading {
  return { kind: 'ct', url: options.url, read: (visit) => readCtLog(options, visit) };
}

const readCtLog = async (
  { keys, start = 0, startRoot, ...asked }: CtLogOptions,
  visit: Parameters<LogReading['read']>[0],
): Promise<ReadLog> => {
  const client = new CtClient(asked);
  const head = await client.treeHead();
  const key = signerOfTreeHead(head, keys);
  if (key === undefined) {
    throw new ReconciliationError('reconciliation.log_untrusted', "the log's tree head is signed by no pinned key");
  }
  if (head.size < start) {
    const message = `the log has ${head.size} entries, and had ${start} or more before`;
    throw new ReconciliationError('reconciliation.log_shorter', message);
  }
  const edge = await edgeAt(client, start);
  let tree = grownTree(start, edge, []);
  const first = tree.root;
  if (startRoot !== undefined && !equalBytes(first, startRoot)) {
    throw new ReconciliationError('reconciliation.start_mismatch', `the first ${start} entries have another root`);
  }
  while (tree.size < head.size) {
    const leaves = await client.leaves(tree.size, head.size);
    for (const [i, leaf] of leaves.entries()) visit(certificateIn(leaf, tree.size + i));
    tree = grownTree(tree.size, edge, leaves.map(hashLeaf));
    for (const { level, hash } of tree.nodes) edge[level] = hash;
  }
  if (!equalBytes(tree.root, head.root)) {
    const message = 'the entries of the log give another root than its signed tree head';
    throw new ReconciliationError('reconciliation.tree_mismatch', message);
  }
  return {
    logId: logIdOf(key),
    start,
    startRoot: first,
    size: head.size,
    root: head.root,
    signedAt: new Date(head.timestamp),
  };
};

/** By level, the complete subtrees that the tree of the first `size` leaves ends in. That they are so, the root shows later. */
async function edgeAt(client: CtClient, size: number): Promise<(Uint8Array | undefined)[]> {
  if (size === 0) return [];
  const { leaf, path } = await client.lastLeaf(size);
  const edge = edgeFromProof(size, hashLeaf(leaf), path);
  if (edge !== undefined) return edge;
  throw new ReconciliationError('reconciliation.answer_invalid', `no proof of entry ${size - 1}`);
}

function certificateIn(leaf: Uint8Array, index: number) {
  const parsed = parseCtLeaf(leaf);
  return { index, bytes: parsed?.der ?? leaf, certificate: parsed && fieldsOf(parsed), vouched: true };
}

function fieldsOf({ kind, der }: NonNullable<ReturnType<typeof parseCtLeaf>>): CertificateFields | undefined {
  try {
    return kind === 'x509' ? parseCertificate(der) : parseTbsCertificate(der);
  } catch {
    // Whoever reads decides what it means that a certificate cannot be read.
    return undefined;
  }
}
