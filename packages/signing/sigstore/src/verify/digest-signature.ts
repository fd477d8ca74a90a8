import { constants, type KeyObject, publicDecrypt } from 'node:crypto';
import type { Digest } from '@colophon/notation';
import { verifyEcdsaDigest } from '../ecdsa/ecdsa-digest.ts';
import { verifyEd25519ph } from '../ed25519ph/ed25519ph.ts';

/** DigestInfo up to the digest itself (RFC 8017 §9.2, note 1). */
const DIGEST_INFO: Readonly<Record<Digest['algorithm'], string>> = {
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

/** By what digest keys of each kind sign, the first of them before all others. */
const DIGESTS_OF_CURVES: Readonly<Record<string, readonly Digest['algorithm'][]>> = {
  secp384r1: ['sha384', 'sha256'],
  secp521r1: ['sha512', 'sha256'],
};

/**
 * The digests by which a key of this kind may sign, the usual one first. Older clients sign by SHA-256 with whatever
 * key; with Ed25519, SHA-512 means Ed25519ph, and SHA-256 the variant that signs whole messages.
 * @see https://github.com/sigstore/architecture-docs/blob/main/algorithm-registry.md
 */
export function digestsOfKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly Digest['algorithm'][] {
  if (asymmetricKeyType === 'ed25519') return ['sha512', 'sha256'];
  return DIGESTS_OF_CURVES[asymmetricKeyDetails?.namedCurve ?? ''] ?? ['sha256'];
}

/** Whether the key's signatures by this digest can be verified when only the digest of the text is known. */
export function verifiesDigests(key: KeyObject, algorithm: Digest['algorithm'] = 'sha256'): boolean {
  if (key.asymmetricKeyType === 'ed25519') return algorithm === 'sha512';
  return key.asymmetricKeyType === 'ec' || key.asymmetricKeyType === 'rsa';
}

/**
 * Whether `signature` is the key's signature over a message with that digest, the message itself being unknown:
 * ECDSA in DER on the NIST curves, RSASSA-PKCS1-v1_5, or Ed25519ph over a SHA-512. node:crypto can only verify over
 * messages. For every other key and digest the answer is false. Never throws.
 */
export function verifyDigestSignature(key: KeyObject, { algorithm, hex }: Digest, signature: Uint8Array): boolean {
  const digest = Buffer.from(hex, 'hex');
  try {
    if (key.asymmetricKeyType === 'ec') return verifyEcdsaDigest(key, digest, signature);
    if (key.asymmetricKeyType === 'ed25519') return algorithm === 'sha512' && verifyEd25519ph(digest, key, signature);
    if (key.asymmetricKeyType !== 'rsa') return false;
    const recovered = publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature);
    // Compared whole, never parsed: bytes after the digest would let anybody forge for a small exponent.
    return Buffer.concat([Buffer.from(DIGEST_INFO[algorithm], 'hex'), digest]).equals(recovered);
  } catch {
    return false;
  }
}
