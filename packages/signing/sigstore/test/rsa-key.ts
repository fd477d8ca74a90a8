import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';

/** A public key of RSA, as anybody can write one: nobody knows a private key to it. */
export function rsaKeyOf(bits: number, exponent: bigint): KeyObject {
  const n = randomBytes(bits / 8);
  n[0]! |= 0x80;
  n[n.length - 1]! |= 1;
  const hex = exponent.toString(16);
  const e = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const jwk = { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') };
  return createPublicKey({ key: jwk, format: 'jwk' });
}

/** As costly to verify with as OpenSSL lets a key be. */
export const LONGEST_EXPONENT = 2n ** 3063n + 1n;
