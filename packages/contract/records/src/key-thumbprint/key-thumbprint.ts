import { encodeBase64 } from '@colophon/encoding';
import { sha256 } from '@noble/hashes/sha2.js';

/** For JSON Schema: 42 characters of six bits, and one whose last two bits are zero. */
export const KEY_THUMBPRINT_PATTERN = '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$';
const KEY_THUMBPRINT = new RegExp(KEY_THUMBPRINT_PATTERN);

/** Members that a thumbprint is over, by `kty`, in the order of their names (RFC 7638 §3.2, RFC 8037 §2). */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/** True for the one spelling that a SHA-256 thumbprint has. */
export function isKeyThumbprint(text: string): boolean {
  return KEY_THUMBPRINT.test(text);
}

/**
 * SHA-256 thumbprint of a public key, base64url.
 * @param jwk the key; its further members do not count
 * @throws TypeError for a key of another kind than RSA, EC and OKP, or without one of its members
 * @see RFC 7638 §3
 */
export function keyThumbprint(jwk: { readonly [member: string]: unknown }): string {
  const members = MEMBERS[String(jwk['kty'])]?.map((name) => [name, jwk[name]] as const);
  if (members === undefined || members.some(([, value]) => typeof value !== 'string')) {
    throw new TypeError('not the JWK of a public key: RSA, EC or OKP with all its members');
  }
  const canonical = JSON.stringify(Object.fromEntries(members));
  const base64 = encodeBase64(sha256(new TextEncoder().encode(canonical)));
  return base64.replace('=', '').replaceAll('+', '-').replaceAll('/', '_');
}
