import { constants, type KeyObject, publicDecrypt } from 'node:crypto';
import { p256, p384, p521 } from '@noble/curves/nist.js';

/** Digests that an entry may be about. */
export type DigestAlgorithm = 'sha256' | 'sha384' | 'sha512';

/** Bytes of each digest. */
export const DIGEST_LENGTHS: Readonly<Record<DigestAlgorithm, number>> = { sha256: 32, sha384: 48, sha512: 64 };

const CURVES: Readonly<Record<string, typeof p256>> = { prime256v1: p256, secp384r1: p384, secp521r1: p521 };

/** DigestInfo up to the digest itself (RFC 8017 §9.2, note 1). */
const DIGEST_INFO: Readonly<Record<DigestAlgorithm, string>> = {
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 8192;

/**
 * Whether `signature` is the key's signature over a message with that digest, the message itself being unknown:
 * ECDSA in DER on the NIST curves, or RSASSA-PKCS1-v1_5. node:crypto can only verify over messages. Ed25519 signs
 * messages and has no such signature; for every other key the answer is false too.
 */
export function verifyDigestSignature({
  key,
  algorithm,
  digest,
  signature,
}: {
  readonly key: KeyObject;
  readonly algorithm: DigestAlgorithm;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}): boolean {
  if (digest.length !== DIGEST_LENGTHS[algorithm]) return false;
  if (key.asymmetricKeyType === 'ec') return verifyEcdsa(key, digest, signature);
  if (key.asymmetricKeyType === 'rsa') return verifyRsa(key, algorithm, digest, signature);
  return false;
}

function verifyEcdsa(key: KeyObject, digest: Uint8Array, signature: Uint8Array): boolean {
  const curve = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (curve === undefined) return false;
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const point = Buffer.concat([Uint8Array.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  try {
    // Both of s and n - s are valid signatures; signers other than noble do not choose the lower one.
    return curve.verify(signature, digest, point, { prehash: false, lowS: false, format: 'der' });
  } catch {
    return false;
  }
}

function verifyRsa(key: KeyObject, algorithm: DigestAlgorithm, digest: Uint8Array, signature: Uint8Array): boolean {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) return false;
  try {
    const recovered = publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature);
    // Compared whole, never parsed: bytes after the digest would let anybody forge for a small exponent.
    return Buffer.concat([Buffer.from(DIGEST_INFO[algorithm], 'hex'), digest]).equals(recovered);
  } catch {
    return false;
  }
}
