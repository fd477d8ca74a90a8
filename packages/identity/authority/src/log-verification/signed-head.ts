import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { decodeBase64 } from '@colophon/encoding';
import { ecdsaKeyHash, equalBytes, parseCheckpoint, parseNote } from '@colophon/merkle';
import type { TreeHead } from '@colophon/store';
import { encodeTreeHead } from '../ct-log/timestamp.ts';

/** Whether a head is a checkpoint, signed by the key, over that size and root. @param spki DER */
export function checkpointVerifier(spki: Uint8Array): (head: TreeHead) => boolean {
  const key = importKey(spki);
  const keyHash = ecdsaKeyHash(spki);
  return ({ note, size, root }) => {
    const parsed = parseNote(note);
    const checkpoint = parsed.ok ? parseCheckpoint(parsed.value.text) : parsed;
    if (!parsed.ok || !checkpoint.ok) return false;
    if (checkpoint.value.size !== size || !equalBytes(checkpoint.value.root, root)) return false;
    const { origin } = checkpoint.value;
    return parsed.value.signatures.some(
      (signature) =>
        signature.name === nameOf(origin) &&
        equalBytes(signature.keyHash, keyHash) &&
        verify('sha256', Buffer.from(parsed.value.text), key, signature.signature),
    );
  };
}

/** Who signs the checkpoints of an origin `<host> - <tree>`. */
function nameOf(origin: string): string {
  return origin.replace(/ - \d+$/, '');
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

/** @param spki DER */
export function importKey(spki: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
}
