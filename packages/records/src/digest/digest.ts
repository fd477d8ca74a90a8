import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

const SHA256_TEXT = /^(?:sha256:)?([0-9A-Fa-f]{64})$/;

/** A pattern for JSON Schema: the only form that leaves this program (contract §2.1). */
export const DIGEST_PATTERN = '^sha256:[0-9a-f]{64}$';

/**
 * Reads a SHA-256 digest as callers write it, bare hex or with `sha256:` before it, in either case (contract §2.1
 * shows both), and returns the one form that is stored and signed: `sha256:` and 64 lower-case hex digits.
 *
 * @returns undefined for anything else.
 */
export function parseDigest(text: string): string | undefined {
  const hex = SHA256_TEXT.exec(text)?.[1];
  return hex === undefined ? undefined : `sha256:${hex.toLowerCase()}`;
}

/** The digits alone, as in-toto's digests and the ids of stored bundles have them. */
export const SHA256_HEX_PATTERN = '^[0-9a-f]{64}$';

/** `sha256:<hex>` of exactly these bytes. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${bytesToHex(sha256(bytes))}`;
}
