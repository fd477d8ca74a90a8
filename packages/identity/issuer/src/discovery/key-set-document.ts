import type { KeysInForce, SigningKeys } from '@colophon/keys';
import { type StaticDocument, staticDocument } from './discovery.ts';
import { DOCUMENT_MAX_AGE_SECONDS } from './discovery-endpoint.ts';

/** A JSON Web Key Set (RFC 7517 §5) of public keys. */
export type KeySet = { readonly keys: readonly Readonly<Record<string, string>>[] };

/** The key set as it is served: bytes and ETag are made once for each change. */
export class KeySetDocument {
  /** Nobody keeps the key set for longer than a new key is in it before it signs. */
  readonly maxAgeSeconds: number;
  readonly #keys: SigningKeys;
  #made: { readonly inForce: KeysInForce; readonly document: StaticDocument & { readonly keySet: KeySet } } | undefined;

  constructor(keys: SigningKeys) {
    this.#keys = keys;
    this.maxAgeSeconds = Math.min(DOCUMENT_MAX_AGE_SECONDS, Math.floor(keys.cacheSeconds));
  }

  at(now: number): StaticDocument & { readonly keySet: KeySet } {
    const inForce = this.#keys.at(now);
    if (this.#made?.inForce !== inForce) {
      const keySet = { keys: inForce.published.map(({ publicJwk }) => publicJwk) };
      this.#made = { inForce, document: { ...staticDocument(keySet), keySet } };
    }
    return this.#made.document;
  }
}
