import { decodeBase64 } from '@colophon/encoding';
import { assertOwnHistory, type FilePins, keyIdOf, type LogIdentity, PinError, treeHeadNote } from '@colophon/pins';
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

/**
 * Holds a tree of the data folder against what is pinned of its key.
 * @throws PinError `pin.history_smaller`, `pin.fork`, `pin.log_retired`, `pin.damaged`, `pin.unavailable`
 */
export function assertHeld({ name, log, size, root }: OwnTree, pins: FilePins): void {
  const next = nextFor(name);
  const successor = pins.successorOf(log);
  if (successor !== undefined) {
    throw new PinError('pin.log_retired', `the ${name} "${log.origin}" was frozen, and "${successor}" took its place`, {
      checked: `${log.origin}, key ${keyIdOf(log.publicKey)}`,
      next,
    });
  }
  const own = { origin: log.origin, size: size(), root, next };
  for (const one of pins.ofKey(log.publicKey)) assertOwnHistory(own, one);
}

/**
 * Holds the first `size` entries of a tree against everything that is known of its key and not larger.
 * @throws PinError as {@link assertHeld}
 */
export function assertContinues({ log, root }: OwnTree, size: number, pins: FilePins): void {
  const known = pins.ofKey(log.publicKey).filter((one) => one.size <= size);
  for (const one of known) assertOwnHistory({ origin: log.origin, size, root }, one);
}

/** What to do about an older copy. */
function nextFor(name: OwnTree['name']): string {
  const command = name === 'ledger' ? 'colophon ledger restore' : 'colophon log restore';
  return `put the newest copy back; where there is none: ${command} --reason TEXT`;
}
