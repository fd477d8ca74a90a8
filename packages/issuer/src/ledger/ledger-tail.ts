import { verify } from 'node:crypto';
import type { SigningKey } from '@colophon/keys';
import { ecdsaKeyHash, parseCheckpoint, parseNote } from '@colophon/merkle';
import { IssuerError } from '../issuer-error/issuer-error.ts';
import type { LedgerReader } from './ledger-proof.ts';

/**
 * What must hold before anything new is signed: the newest checkpoint is ours, its rows are there, and the stored tree
 * has its root. A file that was cut, rolled back or exchanged is found here; `verifyLedger` looks at everything.
 * @throws IssuerError issuer.ledger_damaged
 */
export function requireSoundTail({ ledger, tree }: LedgerReader, key: SigningKey, origin: string): void {
  const head = tree.head();
  const treeSize = tree.size();
  if (head === undefined) {
    if (treeSize > 0) throw damaged('the tree has leaves and no checkpoint');
    return;
  }
  const note = parseNote(head.note);
  const checkpoint = note.ok ? parseCheckpoint(note.value.text) : undefined;
  if (!note.ok || !checkpoint?.ok) throw damaged('the newest checkpoint cannot be read');
  const { value } = checkpoint;
  if (value.origin !== origin) {
    throw damaged(
      `the newest checkpoint is of ${JSON.stringify(value.origin)}, this ledger is ${JSON.stringify(origin)}`,
    );
  }
  const keyHash = Buffer.from(ecdsaKeyHash(key.spki));
  const isOurs = note.value.signatures.some(
    (line) =>
      keyHash.equals(line.keyHash) && verify('sha256', Buffer.from(note.value.text), key.publicKey, line.signature),
  );
  if (!isOurs) throw damaged('the newest checkpoint is not signed by this key');
  const isWhole = value.size === head.size && value.size === treeSize && ledger.size() >= treeSize;
  if (!isWhole) throw damaged(`the newest checkpoint covers ${value.size} rows, the file holds fewer or more`);
  if (!Buffer.from(tree.root()).equals(value.root))
    throw damaged('the stored tree has another root than its checkpoint');
}

function damaged(message: string): IssuerError {
  return new IssuerError('issuer.ledger_damaged', `the ledger is damaged, nothing is signed on it: ${message}`);
}
