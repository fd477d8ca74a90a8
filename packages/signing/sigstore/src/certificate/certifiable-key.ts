import type { KeyObject } from 'node:crypto';

/** What authorities certify, in words. */
export const CERTIFIABLE_KEYS =
  'P-256, P-384, P-521, Ed25519, or RSA of 2048 to 4096 bits with an exponent of at most 31 bits';

const CURVES: readonly unknown[] = ['prime256v1', 'secp384r1', 'secp521r1'];
const RSA_BITS = { min: 2048, max: 4096 };
/** No smaller odd exponent makes a key; Go, in which most authorities are written, reads no larger one. */
const RSA_EXPONENT = { min: 3n, max: 2n ** 31n - 1n };

/**
 * Whether authorities certify keys of this kind and size: ECDSA on P-256, P-384 or P-521, Ed25519, and RSA of 2048 to
 * 4096 bits with an odd exponent of at most 31 bits. Whoever verifies with a key that somebody unknown brings asks this
 * first: an RSA exponent as long as its modulus costs more than a hundred times what P-256 does.
 * @param mostRsaBits where bare keys are taken too
 */
export function isCertifiableKey(
  { asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject,
  mostRsaBits = RSA_BITS.max,
): boolean {
  if (asymmetricKeyType === 'ed25519') return true;
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'ec') return CURVES.includes(namedCurve);
  return (
    asymmetricKeyType === 'rsa' &&
    modulusLength >= RSA_BITS.min &&
    modulusLength <= mostRsaBits &&
    publicExponent >= RSA_EXPONENT.min &&
    publicExponent <= RSA_EXPONENT.max &&
    publicExponent % 2n === 1n
  );
}
