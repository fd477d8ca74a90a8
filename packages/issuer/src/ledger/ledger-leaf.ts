import { hash } from 'node:crypto';
import { hashLeaf } from '@colophon/merkle';

/** Bytes of fresh salt per row: enough that a payload cannot be guessed from its leaf. */
export const SALT_BYTES = 16;

/** RFC 6962 leaf hash over SHA-256(salt ‖ payload), so that the payload can be erased and the leaf still proves. */
export function ledgerLeafHash(salt: Uint8Array, payload: Uint8Array): Uint8Array {
  return hashLeaf(hash('sha256', Buffer.concat([salt, payload]), 'buffer'));
}
