import { createHash } from 'node:crypto';

/**
 * 32 bytes, the same for every copy of a token: over (issuer, jti), or over the signing input where it has no jti. The
 * signature is no part of it, since one token may have several.
 */
export function useKeyOf(issuer: string, jti: string | undefined, signingInput: string): Uint8Array {
  const identity = jti === undefined ? ['signing-input', signingInput] : ['jti', issuer, jti];
  return new Uint8Array(createHash('sha256').update(JSON.stringify(identity)).digest());
}
