import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { KeyError } from '../key-error/key-error.ts';

/** JOSE names; RS256 keys have 2048 bits or more, ES256 keys are on P-256. */
export type KeyAlgorithm = 'RS256' | 'ES256';

/** A private key that signs with SHA-256 and never leaves this object, with its public half in the usual forms. */
export class SigningKey {
  readonly alg: KeyAlgorithm;
  readonly publicKey: KeyObject;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
  /** RFC 7638 thumbprint, base64url. */
  readonly kid: string;
  /** Public JWK with `kid`, `alg` and `use: sig`. */
  readonly publicJwk: Readonly<Record<string, string>>;
  readonly #privateKey: KeyObject;

  /** @throws KeyError `key.unsupported` for a key that is neither RSA of 2048 bits or more nor on P-256. */
  constructor(privateKey: KeyObject) {
    this.#privateKey = privateKey;
    this.alg = algorithmOf(privateKey);
    this.publicKey = createPublicKey(privateKey);
    this.spki = new Uint8Array(this.publicKey.export({ type: 'spki', format: 'der' }));
    const jwk = this.publicKey.export({ format: 'jwk' }) as Record<string, string>;
    this.kid = thumbprint(jwk);
    this.publicJwk = Object.freeze({ ...jwk, use: 'sig', alg: this.alg, kid: this.kid });
  }

  /** Signs for JOSE: RSASSA-PKCS1-v1_5, or ECDSA as r‖s (RFC 7518 §3.3, §3.4). */
  signJose(data: Uint8Array): Uint8Array {
    return sign('sha256', data, { key: this.#privateKey, dsaEncoding: 'ieee-p1363' });
  }

  /** Signs as X.509, CT, Rekor and signed notes want it: RSASSA-PKCS1-v1_5, or ECDSA in DER. */
  signDer(data: Uint8Array): Uint8Array {
    return sign('sha256', data, this.#privateKey);
  }

  /** SubjectPublicKeyInfo, PEM. */
  publicPem(): string {
    return this.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  }
}

function algorithmOf(key: KeyObject): KeyAlgorithm {
  if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return 'RS256';
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256';
  throw new KeyError('key.unsupported', 'a signing key is RSA of 2048 bits or more, or on P-256');
}

function thumbprint(jwk: Record<string, string>): string {
  // RFC 7638 §3.2: the required members only, in the order of their names.
  const members = jwk['kty'] === 'RSA' ? ['e', 'kty', 'n'] : ['crv', 'kty', 'x', 'y'];
  const canonical = JSON.stringify(Object.fromEntries(members.map((name) => [name, jwk[name]])));
  return createHash('sha256').update(canonical).digest('base64url');
}
