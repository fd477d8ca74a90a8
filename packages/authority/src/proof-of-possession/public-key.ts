import { createPublicKey, type KeyObject } from 'node:crypto';
import { DER_TAG, parsePem, readDer } from '@colophon/encoding';
import { AuthorityError } from '../authority-error/authority-error.ts';

const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];
const RSA_BITS = { min: 2048, max: 4096 };
const RSA_EXPONENT = 65537n;

/**
 * Reads the one public key that a caller sends, as PEM (`PUBLIC KEY`) or as DER.
 * @throws AuthorityError `authority.public_key_invalid`
 */
export function parsePublicKey(content: Uint8Array): KeyObject {
  const text = Buffer.from(content).toString('latin1');
  const blocks = text.trimStart().startsWith('-----BEGIN ') ? parsePem(text) : [{ label: 'PUBLIC KEY', der: content }];
  const [block, ...more] = blocks ?? [];
  // A PEM reader would also take a private key or a certificate: neither has any business here.
  if (block?.label !== 'PUBLIC KEY' || more.length > 0) throw invalid();
  return importSpki(block.der);
}

/** @throws AuthorityError `authority.public_key_invalid` */
export function importSpki(der: Uint8Array): KeyObject {
  try {
    // OpenSSL reads the first element and ignores what follows it.
    readDer(der, DER_TAG.sequence);
    return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  } catch (error) {
    throw invalid(error);
  }
}

/**
 * Refuses keys that are too weak to be worth a certificate, or so large that using them is an attack: allowed are
 * P-256, P-384, P-521, Ed25519, and RSA of 2048 to 4096 bits with exponent 65537.
 * @throws AuthorityError `authority.public_key_weak`
 */
export function checkKeyStrength(key: KeyObject): void {
  const { modulusLength = 0, publicExponent, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  const isStrong =
    key.asymmetricKeyType === 'ed25519' ||
    (key.asymmetricKeyType === 'ec' && CURVES.includes(namedCurve)) ||
    (key.asymmetricKeyType === 'rsa' &&
      modulusLength >= RSA_BITS.min &&
      modulusLength <= RSA_BITS.max &&
      publicExponent === RSA_EXPONENT);
  if (!isStrong)
    throw new AuthorityError('authority.public_key_weak', 'the public key is of a kind or size that is not accepted');
}

function invalid(cause?: unknown): AuthorityError {
  return new AuthorityError('authority.public_key_invalid', 'the public key cannot be read', { cause });
}
