import { verify } from 'node:crypto';
import type { Signer } from '@colophon/keys';
import { ecdsaKeyHash, equalBytes, parseCheckpoint, parseNote } from '@colophon/merkle';
import type { LedgerTail } from '@colophon/store';
import { IssuerError } from '../issuer-error/issuer-error.ts';

/**
 * What must hold before anything new is signed: the newest checkpoint is ours, its rows are there, and the stored tree
 * has its root. A file that was cut, rolled back or exchanged is found here; `verifyLedger` looks at everything.
 * @throws IssuerError issuer.ledger_damaged
 */
export function requireSoundTail(tail: LedgerTail, key: Signer, origin: string): void {
  const { rows, leaves, root, head } = tail;
  if (head === undefined) {
    if (leaves > 0) throw damaged('the tree has leaves and no checkpoint');
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
  const isWhole = value.size === head.size && value.size === leaves && rows >= leaves;
  if (!isWhole) throw damaged(`the newest checkpoint covers ${value.size} rows, the file holds fewer or more`);
  if (!equalBytes(root, value.root)) throw damaged('the stored tree has another root than its checkpoint');
}

function damaged(message: string): IssuerError {
  return new IssuerError('issuer.ledger_damaged', `the ledger is damaged, nothing is signed on it: ${message}`);
}
