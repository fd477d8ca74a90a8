import { hash } from 'node:crypto';
import type { LedgerRow } from '@colophon/store';

/** Bytes of fresh salt per row: enough that a payload cannot be guessed from its leaf. */
export const SALT_BYTES = 16;

/** How the leaf of a row is made. */
export const LEAF_VERSION = 2;

const NEWLINE = 0x0a;

/** What a leaf covers beside its content. */
export type LeafFacts = Pick<LedgerRow, 'leaf_version' | 'jti' | 'issued_at'>;

/**
 * SHA-256(salt ‖ payload), or SHA-256(salt ‖ payload ‖ newline ‖ authorization) for a row that has one, in hex. Both are JSON on
 * one line, so one hash has one reading. It stays when they are erased.
 * @throws TypeError for a payload or an authorization with a raw newline: see {@link isOneLine}
 */
export function contentHash(salt: Uint8Array, payload: string, authorization: string | null): string {
  if (!isOneLine(payload) || (authorization !== null && !isOneLine(authorization)))
    throw new TypeError('what goes into a leaf is JSON on one line');
  // UTF-8 has at most three bytes for a unit of a text.
  const most = salt.length + 3 * (payload.length + 1 + (authorization?.length ?? 0));
  if (scratch.length < most) scratch = Buffer.alloc(2 * most);
  scratch.set(salt);
  let end = salt.length;
  end += scratch.write(payload, end);
  if (authorization !== null) {
    scratch[end] = NEWLINE;
    end += 1;
    end += scratch.write(authorization, end);
  }
  return hash('sha256', scratch.subarray(0, end), 'hex');
}

/** Where salt, payload and authorization are put together, one row after the other: a ledger has millions. */
let scratch = Buffer.alloc(16 * 1024);

/**
 * RFC 6962 leaf hash of a row, over four lines of text, each with a newline at its end: `colophon-ledger-leaf/2`, jti, time in
 * seconds, the content's hash in hex; so jti and time are proven also where the rest is erased. Undefined for a version
 * that this program does not know, and a jti of several lines.
 * @param content hex
 */
export function ledgerLeafHash({ leaf_version, jti, issued_at }: LeafFacts, content: string): Uint8Array | undefined {
  if (leaf_version !== LEAF_VERSION || jti.includes('\n')) return undefined;
  return hash('sha256', `\0colophon-ledger-leaf/2\n${jti}\n${issued_at}\n${content}\n`, 'buffer');
}

/** The leaf of a new row, and how it is made. */
export function newLeaf(
  row: Omit<LeafFacts, 'leaf_version'> & NewContent,
): Pick<LedgerRow, 'leaf_version' | 'leaf_hash'> {
  const { jti, issued_at, salt, payload, authorization } = row;
  const content = contentHash(salt, payload, authorization);
  const leaf_hash = ledgerLeafHash({ leaf_version: LEAF_VERSION, jti, issued_at }, content);
  if (leaf_hash === undefined) throw new TypeError('a jti is one line');
  return { leaf_version: LEAF_VERSION, leaf_hash };
}

type NewContent = { readonly salt: Uint8Array; readonly payload: string; readonly authorization: string | null };

/** Whether a text of a row has no raw newline, which would let a part of it pass for the other. */
export function isOneLine(text: string): boolean {
  return !text.includes('\n');
}
