import { sha256 } from '@noble/hashes/sha2.js';

/** Length of every hash in a tree: SHA-256, 32 bytes. */
export const HASH_BYTES = 32;

/** Root of the tree without leaves: SHA-256 of the empty string (RFC 6962 §2.1). */
export const EMPTY_ROOT: Uint8Array = sha256(new Uint8Array(0));

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);

/**
 * Hash of a leaf: SHA-256 of a zero byte and `data` (RFC 6962 §2.1). The prefix keeps a leaf from passing as an inner
 * node.
 */
export function hashLeaf(data: Uint8Array): Uint8Array {
  return sha256.create().update(LEAF_PREFIX).update(data).digest();
}

/** Hash of an inner node: SHA-256 of a one byte, the left child's and the right child's hash (RFC 6962 §2.1). */
export function hashChildren(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256.create().update(NODE_PREFIX).update(left).update(right).digest();
}

/** Whether `value` is as long as a hash of the tree: the first question about anything from outside. */
export function isHash(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === HASH_BYTES;
}

/** Whether `value` is an array of hashes throughout; a hole in the array is none. */
export function isHashList(value: unknown): value is readonly Uint8Array[] {
  return Array.isArray(value) && [...value].every(isHash);
}

/** Whether two byte strings are the same. What is compared here is public, so the time it takes tells nothing. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
