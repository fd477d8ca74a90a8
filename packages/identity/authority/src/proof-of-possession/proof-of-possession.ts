import { type KeyObject, verify } from 'node:crypto';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { checkKeyStrength, parsePublicKey } from './public-key.ts';

/** The digest that goes with a key, as Fulcio's clients choose it; null where the algorithm brings its own. */
export function digestOf(key: KeyObject): 'sha256' | 'sha384' | 'sha512' | null {
  if (key.asymmetricKeyType === 'ed25519') return null;
  if (key.asymmetricKeyDetails?.namedCurve === 'secp384r1') return 'sha384';
  if (key.asymmetricKeyDetails?.namedCurve === 'secp521r1') return 'sha512';
  return 'sha256';
}

/**
 * Verifies that the caller holds the private key: a signature over the UTF-8 bytes of the token's subject, ECDSA in
 * DER, RSASSA-PKCS1-v1_5 or Ed25519.
 *
 * @param content the public key, PEM or DER
 * @returns the public key, fit for a certificate
 * @throws AuthorityError `authority.public_key_invalid`, `authority.public_key_weak`, `authority.proof_invalid`
 */
export function verifyProofOfPossession({
  content,
  proof,
  subject,
}: {
  readonly content: Uint8Array;
  readonly proof: Uint8Array;
  readonly subject: string;
}): KeyObject {
  const key = parsePublicKey(content);
  checkKeyStrength(key);
  if (!verify(digestOf(key), Buffer.from(subject), key, proof)) {
    throw new AuthorityError(
      'authority.proof_invalid',
      'the proof of possession is not the key’s signature over the subject',
    );
  }
  return key;
}
