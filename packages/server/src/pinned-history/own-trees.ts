import { decodeBase64 } from '@colophon/encoding';
import { type LogIdentity, treeHeadNote } from '@colophon/pins';
import { type Database, MerkleLogStore, type TreeHead, type TreeName } from '@colophon/store';
import type { OwnTree } from './pinned-history.ts';

const NAMES: { readonly [name in TreeName]: OwnTree['name'] } = {
  ledger: 'ledger',
  rekor: 'transparency log',
  ct: 'certificate log',
};

/** A tree of the database under the name and key of its log. */
export function ownTree(db: Database, tree: TreeName, log: LogIdentity): OwnTree {
  const store = new MerkleLogStore(db, tree);
  return {
    name: NAMES[tree],
    log,
    head: () => store.head(),
    size: () => store.size(),
    root: (size) => store.root(size),
    note: (head) => (tree === 'ct' ? noteOfTreeHead(log, head) : head.note),
  };
}

/** A certificate log keeps the signature alone. */
function noteOfTreeHead(log: LogIdentity, head: TreeHead): string {
  // Written by the log itself.
  const signature = decodeBase64(head.note) as Uint8Array;
  return treeHeadNote(log, head, { timestamp: head.signedAt, signature });
}
