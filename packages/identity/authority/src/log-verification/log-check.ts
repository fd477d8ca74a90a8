import { createHash } from 'node:crypto';
import { equalBytes, hashLeaf } from '@colophon/merkle';
import { type Database, MerkleLogStore, TreeCheck, type TreeHead, TreeKeyStore } from '@colophon/store';
import type { VerifiedLog } from './log-result.ts';

/** What was found in one log. */
export type LogReport = VerifiedLog & {
  /** Empty where the log is whole; each is a sentence. */
  readonly problems: readonly string[];
};

/** What a verifier of the logs must know. */
export type LogTrust = {
  /** SubjectPublicKeyInfo, DER. */
  readonly rekorPublicKey: Uint8Array;
  /** SubjectPublicKeyInfo, DER. */
  readonly ctPublicKey: Uint8Array;
  /** PEM, the intermediate first: names in the search index are those that they certified. Without them names are not checked. */
  readonly caCertificates?: readonly string[];
  /** Entries of the trees before this one; 0. */
  readonly firstIndex?: number | undefined;
  /** What the first entry of the transparency log says, where it took the place of another. */
  readonly statement?: string | undefined;
  /** DER, of authorities whose certificates the log took too. */
  readonly extraRoots?: readonly Uint8Array[];
};

/** One entry: its place, what its leaf is the hash of, and what is wrong beside it. */
export type CheckedEntry = {
  readonly index: number;
  readonly leafHash: Uint8Array;
  readonly content: Uint8Array;
  readonly problems: readonly string[];
};

/** The entries of one log, and what is kept beside them. */
export interface LogContent {
  readonly log: VerifiedLog['log'];
  readonly tree: 'rekor' | 'ct';
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  /** Whether a head is signed by the log's key, over that size and root. */
  isSigned(head: TreeHead): boolean;
  /** In their order, one at a time. */
  entries(): Iterable<CheckedEntry>;
  /** Of what is kept once for the whole log; called after the last entry. */
  otherProblems(heads: readonly string[]): readonly string[];
  /** What was checked beside leaves, nodes and heads; called last. */
  checks(): VerifiedLog['checks'];
}

/** Problems of one log that are told; a broken log has as many as it has entries. */
const MAX_PROBLEMS = 20;

/** Checks one log. @throws StoreError where a tree contradicts its newest head */
export function verifyLog(db: Database, content: LogContent): LogReport {
  const { log, publicKey } = content;
  const stored = new MerkleLogStore(db, content.tree);
  const tree = new TreeCheck(db, content.tree);
  const problems: string[] = [...keyProblems(db, content.tree, publicKey)];
  const heads = stored.checkedHeads();
  let head = heads.next();
  let headCount = 0;
  const newestNotes: string[] = [];
  const checkHead = (value: TreeHead & { readonly isAsWritten: boolean }) => {
    const { size, root, note, isAsWritten } = value;
    headCount += 1;
    newestNotes[0] ??= note;
    newestNotes[1] = note;
    if (!equalBytes(root, tree.root())) problems.push(`the head of size ${size} has another root`);
    if (!content.isSigned(value)) problems.push(`the head of size ${size} is not signed by the log’s key`);
    if (!isAsWritten) problems.push(`the time of the head of size ${size} is not the one that was written`);
  };
  const checkHeads = () => {
    for (; !head.done && head.value.size === tree.leaves; head = heads.next()) checkHead(head.value);
  };
  checkHeads();
  for (const entry of content.entries()) {
    const hash = hashLeaf(entry.content);
    if (entry.index !== tree.leaves) problems.push(`entry ${tree.leaves} is missing: the next one is ${entry.index}`);
    if (!equalBytes(hash, entry.leafHash)) problems.push(`entry ${entry.index} is not what its hash says`);
    problems.push(...entry.problems.map((problem) => `entry ${entry.index}: ${problem}`));
    for (const { level, index } of tree.add(hash))
      problems.push(`node ${index} on level ${level} is not what the entries give`);
    checkHeads();
    if (problems.length >= MAX_PROBLEMS) break;
  }
  if (problems.length < MAX_PROBLEMS) {
    if (!head.done) problems.push(`${stored.head()?.size} entries were signed and ${tree.leaves} are here`);
    if (tree.storedLeaves !== tree.leaves)
      problems.push(`the tree has ${tree.storedLeaves} leaves and the log ${tree.leaves} entries`);
    else if (tree.surplus() !== 0) problems.push('there are nodes that no entry gives');
    if (stored.hasStrayRows()) problems.push('there are nodes or heads of an unknown tree');
    problems.push(...content.otherProblems(newestNotes));
  }
  heads.return(undefined);
  return {
    log,
    entry_count: tree.leaves,
    head_count: headCount,
    root_hash: Buffer.from(tree.root()).toString('hex'),
    checks: [
      { check: 'leaves', detail: `${tree.leaves} computed again from their entries` },
      { check: 'tree', detail: `${tree.nodes} nodes computed again from the leaves` },
      { check: 'heads', detail: `${headCount}, each signed by the log’s key, with the root that its entries give` },
      ...content.checks(),
    ],
    problems,
  };
}

/** The key that was pinned at the first start is the one that heads are checked with. */
function* keyProblems(db: Database, tree: 'rekor' | 'ct', spki: Uint8Array): Generator<string> {
  const isThere = db.sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tree_key'").get() !== undefined;
  const pinned = isThere ? new TreeKeyStore(db).find(tree) : undefined;
  if (pinned === undefined) {
    // The first start pins it, and nothing is signed before.
    if (isThere && new MerkleLogStore(db, tree).head() !== undefined) yield 'no key is pinned for the log';
  } else if (!equalBytes(pinned, new Uint8Array(createHash('sha256').update(spki).digest()))) {
    yield 'another key is pinned for the log';
  }
}
