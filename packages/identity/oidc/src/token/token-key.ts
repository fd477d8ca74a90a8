import { createPublicKey, type KeyObject, verify, type webcrypto } from 'node:crypto';
import { derEcdsaSignature } from '@colophon/encoding';
import { TokenRefused } from './token-refused.ts';

/** A public key as an issuer publishes it (RFC 7517). */
export type Jwk = webcrypto.JsonWebKey & { readonly kid?: string; readonly alg?: string; readonly use?: string };

type TokenAlgorithm = {
  readonly digest: 'sha256' | 'sha384' | 'sha512' | null;
  readonly fits: (key: KeyObject) => boolean;
  /** Bytes of each of a signature's two numbers (RFC 7518 §3.4). */
  readonly width?: number;
};

/** One algorithm for each kind of key: the header never chooses how a key is used. */
const ALGORITHMS: Readonly<Record<string, TokenAlgorithm>> = {
  RS256: {
    digest: 'sha256',
    fits: (key) => key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048,
  },
  ES256: { digest: 'sha256', fits: isOnCurve('prime256v1'), width: 32 },
  ES384: { digest: 'sha384', fits: isOnCurve('secp384r1'), width: 48 },
  ES512: { digest: 'sha512', fits: isOnCurve('secp521r1'), width: 66 },
  EdDSA: { digest: null, fits: (key) => key.asymmetricKeyType === 'ed25519' },
};

/** The algorithms that an identity token may be signed with. */
export const TOKEN_ALGORITHMS: readonly string[] = ['RS256', 'ES256', 'EdDSA'];

/** The algorithms that a caller's token may be signed with. */
export const CALLER_ALGORITHMS: readonly string[] = Object.keys(ALGORITHMS);

/** True where identity tokens may be signed with `alg` at all: never `none`, never a shared secret. */
export function isTokenAlgorithm(alg: unknown): alg is string {
  return isOneOf(TOKEN_ALGORITHMS, alg);
}

/** True for one of these algorithms; never for what is no text. */
export function isOneOf(algorithms: readonly string[], alg: unknown): alg is string {
  return typeof alg === 'string' && algorithms.includes(alg);
}

function isOnCurve(namedCurve: string): (key: KeyObject) => boolean {
  return (key) => key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === namedCurve;
}

/**
 * Verifies a token's signature with one published key.
 * @throws TokenRefused `token_algorithm_refused` where the key is not for that algorithm,
 *   `token_signature_invalid`
 */
export function verifyTokenSignature(
  jwk: Jwk,
  alg: string,
  { signingInput, signature }: { readonly signingInput: string; readonly signature: Uint8Array },
): void {
  const algorithm = isOneOf(CALLER_ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
  const { key, fitting } = importedKey(jwk);
  if (
    algorithm === undefined ||
    key === undefined ||
    fitting !== alg ||
    (jwk.alg !== undefined && jwk.alg !== alg) ||
    (jwk.use !== undefined && jwk.use !== 'sig') ||
    // RFC 7517 §4.3: a key says what it is for by `use` or by `key_ops`.
    (jwk.key_ops !== undefined && !(Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify')))
  ) {
    throw new TokenRefused('token_algorithm_refused', 'the issuer’s key is not for this signature algorithm');
  }
  const { digest, width } = algorithm;
  const encoded = width === undefined ? signature : derEcdsaSignature(signature, width);
  // The key alone: for a key with options Node makes an error object each time, at half the cost of verifying.
  if (encoded === undefined || !verify(digest, Buffer.from(signingInput, 'ascii'), key, encoded)) {
    throw new TokenRefused('token_signature_invalid', 'the identity token is not signed by its issuer');
  }
}

type ImportedKey = {
  /** Absent where it is no public key. */
  readonly key?: KeyObject | undefined;
  /** The one algorithm that it is for, by its material. */
  readonly fitting?: string | undefined;
};

/** By the object that a key set holds: what has changed is read anew, and is another object then. */
const IMPORTED = new WeakMap<Jwk, ImportedKey>();

/** Taking a key apart costs half of what verifying with it does. */
function importedKey(jwk: Jwk): ImportedKey {
  const known = IMPORTED.get(jwk);
  if (known !== undefined) return known;
  const key = importKey(jwk);
  const imported = { key, fitting: key && CALLER_ALGORITHMS.find((alg) => ALGORITHMS[alg]!.fits(key)) };
  IMPORTED.set(jwk, imported);
  return imported;
}

function importKey(jwk: Jwk): KeyObject | undefined {
  // A shared secret (`oct`) or a private key has no place in a published key set.
  if (!['RSA', 'EC', 'OKP'].includes(jwk.kty ?? '') || jwk.d !== undefined) return undefined;
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}
