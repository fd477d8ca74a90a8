import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { rawEcdsaSignature } from '@colophon/encoding';
import { keyThumbprint } from '@colophon/records';
import { KeyError } from '../key-error/key-error.ts';
import type { KeyAlgorithm, Signer } from '../signer/signer.ts';

const P256_BYTES = 32;

/** A {@link Signer} in this process: it signs at once, and its private key never leaves this object. */
export class SigningKey implements Signer {
  readonly alg: KeyAlgorithm;
  readonly publicKey: KeyObject;
  readonly spki: Uint8Array;
  readonly kid: string;
  readonly publicJwk: Readonly<Record<string, string>>;
  readonly #privateKey: KeyObject;

  /** @throws KeyError `key.unsupported` for a key that is neither RSA of 2048 bits or more nor on P-256. */
  constructor(privateKey: KeyObject) {
    this.#privateKey = privateKey;
    this.alg = algorithmOf(privateKey);
    this.publicKey = createPublicKey(privateKey);
    this.spki = new Uint8Array(this.publicKey.export({ type: 'spki', format: 'der' }));
    const jwk = this.publicKey.export({ format: 'jwk' }) as Record<string, string>;
    this.kid = keyThumbprint(jwk);
    this.publicJwk = Object.freeze({ ...jwk, use: 'sig', alg: this.alg, kid: this.kid });
  }

  signJose(data: Uint8Array): Uint8Array {
    // The key alone: for a key with options Node makes an error object each time, which costs more than the signature.
    const signature = sign('sha256', data, this.#privateKey);
    return this.alg === 'ES256' ? rawEcdsaSignature(signature, P256_BYTES) : signature;
  }

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
