import { createHash, type KeyObject } from 'node:crypto';
import { eddsa } from '@noble/curves/abstract/edwards.js';
import { ed25519 } from '@noble/curves/ed25519.js';

const PREFIX = Buffer.from('SigEd25519 no Ed25519 collisions');

/** Over a digest that is there already: node:crypto knows the variant that signs whole messages only. */
const overDigest = eddsa(ed25519.Point, (bytes: Uint8Array) => createHash('sha512').update(bytes).digest(), {
  adjustScalarBytes,
  domain: (data: Uint8Array, context: Uint8Array) =>
    Buffer.concat([PREFIX, Buffer.of(1, context.length), context, data]),
  prehash: (digest: Uint8Array) => digest,
});

/** Signs the SHA-512 of a message as Ed25519ph, without context. @see RFC 8032 §5.1 */
export function signEd25519ph(sha512: Uint8Array, privateKey: KeyObject): Buffer {
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return Buffer.from(overDigest.sign(sha512, Buffer.from(d, 'base64url')));
}

/** Whether it is the key's Ed25519ph signature over a message with that SHA-512. Never throws. */
export function verifyEd25519ph(sha512: Uint8Array, publicKey: KeyObject, signature: Uint8Array): boolean {
  const { x = '' } = publicKey.export({ format: 'jwk' });
  try {
    return overDigest.verify(signature, sha512, Buffer.from(x, 'base64url'), { zip215: false });
  } catch {
    return false;
  }
}

/** RFC 8032 §5.1.5, step 2. */
function adjustScalarBytes(bytes: Uint8Array): Uint8Array {
  bytes[0]! &= 248;
  bytes[31]! = (bytes[31]! & 127) | 64;
  return bytes;
}
