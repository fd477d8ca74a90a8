import { createPublicKey, type KeyObject } from 'node:crypto';
import { DER_TAG, parsePem, readDer } from '@colophon/encoding';
import { isCertifiableKey } from '@colophon/sigstore';
import { AuthorityError } from '../authority-error/authority-error.ts';

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
  const isStrong =
    isCertifiableKey(key) &&
    (key.asymmetricKeyType !== 'rsa' || key.asymmetricKeyDetails?.publicExponent === RSA_EXPONENT);
  if (!isStrong)
    throw new AuthorityError('authority.public_key_weak', 'the public key is of a kind or size that is not accepted');
}

function invalid(cause?: unknown): AuthorityError {
  return new AuthorityError('authority.public_key_invalid', 'the public key cannot be read', { cause });
}
