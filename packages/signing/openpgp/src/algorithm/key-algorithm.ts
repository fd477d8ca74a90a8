import type { Key, KeyID, PublicKeyPacket, PublicSubkeyPacket, Subkey } from 'openpgp';
import { OpenPgpError } from '../openpgp-error/openpgp-error.ts';

/** Curves that are computed here, by the names of the library. Brainpool's and secp256k1 are not. */
const CURVES: readonly string[] = [
  'nistP256',
  'nistP384',
  'nistP521',
  'ed25519Legacy',
  'curve25519Legacy',
  'ed25519',
  'ed448',
  'x25519',
  'x448',
];
/** One less than 2048: some programs make keys whose highest bit is not set. */
const LEAST_RSA_BITS = 2047;

/** The flag of a key that signs data (RFC 9580 §5.2.3.29). */
const SIGNS = 0x02;

const PEOPLE_USE = 'Ed25519, NIST P-256, P-384 or P-521, or RSA of 2048 bits and more';

/**
 * Why the algorithm of a key does not do for signatures, with its name; undefined where it does.
 * @param part the main key, or the subkey that signs
 */
export function algorithmFault(key: Key, part: PublicKeyPacket | PublicSubkeyPacket): OpenPgpError | undefined {
  const { algorithm, curve, bits } = part.getAlgorithmInfo() as { algorithm: string; curve?: string; bits?: number };
  const facts = (name: string) => ({
    expected: PEOPLE_USE,
    found: `${name}, key ${key.getFingerprint().toUpperCase()}`,
    next: 'gpg --verify FILE.asc FILE',
  });
  if (curve !== undefined && !CURVES.includes(curve)) {
    return new OpenPgpError('openpgp.algorithm_unsupported', `the curve ${curve} is not computed here`, facts(curve));
  }
  if (algorithm === 'dsa') return new OpenPgpError('openpgp.key_unusable', 'a key of DSA is too weak', facts('DSA'));
  if (algorithm === 'elgamal') {
    return new OpenPgpError('openpgp.key_unusable', 'a key of ElGamal does not sign', facts('ElGamal'));
  }
  if (algorithm.startsWith('rsa') && bits !== undefined && bits < LEAST_RSA_BITS) {
    return new OpenPgpError('openpgp.key_unusable', `a key of RSA with ${bits} bits is too weak`, facts(`RSA ${bits}`));
  }
  return undefined;
}

/** The same for what made a signature: the main key, which binds all others, and the part of that id. */
export function signerAlgorithmFault(key: Key, signer: KeyID): OpenPgpError | undefined {
  return firstFault(key, [key, ...key.getKeys(signer)]);
}

/** The same for the subkeys that their owner bound as signing ones. */
export function signingAlgorithmFault(key: Key): OpenPgpError | undefined {
  const signs = ({ bindingSignatures }: Subkey) =>
    bindingSignatures.some(({ keyFlags }) => ((keyFlags?.[0] ?? 0) & SIGNS) !== 0);
  return firstFault(key, key.subkeys.filter(signs));
}

function firstFault(key: Key, parts: ReadonlyArray<Key | Subkey>): OpenPgpError | undefined {
  for (const { keyPacket } of parts) {
    const fault = algorithmFault(key, keyPacket as PublicKeyPacket);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
