import { hash } from 'node:crypto';
import { hashLeaf } from '@colophon/merkle';

/** Bytes of fresh salt per row: enough that a payload cannot be guessed from its leaf. */
export const SALT_BYTES = 16;

const NEWLINE = 0x0a;
const SEPARATOR = Buffer.of(NEWLINE);

/**
 * RFC 6962 leaf hash over SHA-256(salt ‖ payload), or SHA-256(salt ‖ payload ‖ newline ‖ authorization) for a row that
 * has one, so that both can be erased and the leaf still proves. Both are JSON on one line, so one hash has one reading.
 * @throws TypeError for a payload or an authorization with a raw newline: see {@link isOneLine}
 */
export function ledgerLeafHash(salt: Uint8Array, payload: Uint8Array, authorization?: string | null): Uint8Array {
  const rest = typeof authorization === 'string' ? Buffer.from(authorization) : undefined;
  if (!isOneLine(payload) || (rest !== undefined && !isOneLine(rest)))
    throw new TypeError('what goes into a leaf is JSON on one line');
  const parts = rest === undefined ? [salt, payload] : [salt, payload, SEPARATOR, rest];
  return hashLeaf(hash('sha256', Buffer.concat(parts), 'buffer'));
}

/** Whether a text of a row has no raw newline, which would let a part of it pass for the other. */
export function isOneLine(text: Uint8Array): boolean {
  return !text.includes(NEWLINE);
}
