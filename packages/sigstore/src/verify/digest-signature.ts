import { constants, type KeyObject, publicDecrypt } from 'node:crypto';
import { p256, p384, p521 } from '@noble/curves/nist.js';

const CURVES = { 'P-256': p256, 'P-384': p384, 'P-521': p521 } as const;

/** RFC 8017 §9.2: what stands before a SHA-256 digest in a PKCS #1 v1.5 signature. */
const SHA256_PREFIX = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Whether the key is of a kind whose signatures can be verified when only the digest of the text is known. */
export function verifiesDigests(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'ec' || key.asymmetricKeyType === 'rsa';
}

/**
 * Verifies an ECDSA or RSASSA-PKCS1-v1_5 signature over a text of which only the SHA-256 is known; node:crypto wants
 * the text. Never throws.
 */
export function verifyDigest(digest: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  try {
    if (key.asymmetricKeyType === 'rsa') {
      const opened = publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature);
      return opened.equals(Buffer.concat([SHA256_PREFIX, digest]));
    }
    const { crv, x, y } = key.export({ format: 'jwk' });
    const curve = CURVES[crv as keyof typeof CURVES];
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x ?? '', 'base64url'), Buffer.from(y ?? '', 'base64url')]);
    return curve.verify(signature, digest, point, { prehash: false, lowS: false, format: 'der' });
  } catch {
    return false;
  }
}
