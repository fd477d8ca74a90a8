import type { KeyObject } from 'node:crypto';

/** JOSE names; RS256 keys have 2048 bits or more, ES256 keys are on P-256. */
export type KeyAlgorithm = 'RS256' | 'ES256';

/**
 * A private key that signs with SHA-256, wherever it is kept: in this process, in a token (PKCS#11), with a key service.
 * Signatures may come later and may fail, so callers await them, and hold no transaction meanwhile.
 */
export interface Signer {
  readonly alg: KeyAlgorithm;
  readonly publicKey: KeyObject;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
  /** RFC 7638 thumbprint, base64url. */
  readonly kid: string;
  /** Public JWK with `kid`, `alg` and `use: sig`. */
  readonly publicJwk: Readonly<Record<string, string>>;
  /** Signs for JOSE: RSASSA-PKCS1-v1_5, or ECDSA as r‖s (RFC 7518 §3.3, §3.4). */
  signJose(data: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Signs as X.509, CT, Rekor and signed notes want it: RSASSA-PKCS1-v1_5, or ECDSA in DER. */
  signDer(data: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** The keys of one moment: which one signs, and which are in the key set, that one among them. */
export type KeysInForce = { readonly signer: Signer; readonly published: readonly Signer[] };

/** The keys of an issuer, all of one algorithm, as they change with time. */
export interface SigningKeys {
  readonly alg: KeyAlgorithm;
  /** A key is in the key set for longer than this before it signs: nobody may keep the key set for longer. */
  readonly cacheSeconds: number;
  /** A key stays in the key set for longer than this after it signed: no token may live for longer. */
  readonly tokenSeconds: number;
  /** The same object as long as nothing changes, so that what is made of it can be kept. `now`: milliseconds since 1970. */
  at(now: number): KeysInForce;
}

/** One key that signs for ever. */
export function oneKey(signer: Signer): SigningKeys {
  const inForce = { signer, published: [signer] };
  const forever = Number.POSITIVE_INFINITY;
  return { alg: signer.alg, cacheSeconds: forever, tokenSeconds: forever, at: () => inForce };
}
