import { createHash, createPublicKey } from 'node:crypto';
import { findPemBlocks, formatPem } from '@colophon/encoding';
import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import type { Jwk } from '../token/token-key.ts';
import { TokenRefused } from '../token/token-refused.ts';

/** The keys that an issuer's tokens may be signed with. */
export type KeySet = {
  readonly byId: ReadonlyMap<string, Jwk>;
  /** Where it holds exactly one. */
  readonly only: Jwk | undefined;
};

/** What a document of keys is: an issuer's key set (RFC 7517), or a SPIFFE bundle, which has certificates beside them. */
export type KeyDocument = 'key-set' | 'spiffe-bundle';

const MAX_KEYS = 64;

/**
 * Reads a key set. Of two keys with one `kid` the first counts, and keys without one are left out.
 * @throws TokenRefused `issuer_metadata_invalid`
 */
export function readKeySet(document: JsonObject): KeySet {
  return keySetOf(listIn(document));
}

/**
 * Reads the keys for JWT-SVIDs in a SPIFFE bundle; whatever has another `use`, or none, is left out.
 * @throws TokenRefused `issuer_metadata_invalid`
 * @see https://github.com/spiffe/spiffe/blob/main/standards/SPIFFE_Trust_Domain_and_Bundle.md §4
 */
export function readSpiffeBundle(document: JsonObject): KeySet {
  const keys = listIn(document).filter((key) => isJsonObject(key) && key['use'] === 'jwt-svid') as JsonObject[];
  return keySetOf(keys.map((key) => ({ ...key, use: 'sig' })));
}

/**
 * Reads a file of keys: JSON as above, or PEM public keys, whose `kid` is then what Kubernetes writes into the tokens
 * of its service accounts: the SHA-256 of the key's SubjectPublicKeyInfo in base64url. Private keys are left out.
 * @throws TokenRefused `issuer_metadata_invalid`
 */
export function readKeyFile(bytes: Uint8Array, contents: KeyDocument): KeySet {
  const parsed = parseStrictJson(bytes);
  if (parsed.ok && isJsonObject(parsed.value)) return readerOf(contents)(parsed.value);
  const keys = contents === 'key-set' ? pemKeys(new TextDecoder().decode(bytes)) : [];
  if (keys.length > 0 && keys.length <= MAX_KEYS) return keySetOf(keys);
  throw new TokenRefused('issuer_metadata_invalid', 'the file of the issuer’s keys holds none that can be read');
}

/** How a document of keys is read. */
export function readerOf(contents: KeyDocument): (document: JsonObject) => KeySet {
  return contents === 'key-set' ? readKeySet : readSpiffeBundle;
}

function listIn({ keys }: JsonObject): readonly unknown[] {
  if (Array.isArray(keys) && keys.length <= MAX_KEYS) return keys;
  throw new TokenRefused('issuer_metadata_invalid', 'the issuer’s key set is not a list of keys');
}

function keySetOf(keys: readonly unknown[]): KeySet {
  const byId = new Map<string, Jwk>();
  for (const key of keys as readonly (JsonObject | null)[]) {
    if (isJsonObject(key) && typeof key['kid'] === 'string' && !byId.has(key['kid'])) byId.set(key['kid'], key as Jwk);
  }
  return { byId, only: keys.length === 1 ? [...byId.values()][0] : undefined };
}

function pemKeys(text: string): Jwk[] {
  return (findPemBlocks(text, ['PUBLIC KEY', 'RSA PUBLIC KEY']) ?? []).flatMap(({ label, der }) => {
    try {
      const key = createPublicKey(formatPem(label, der));
      const kid = createHash('sha256')
        .update(key.export({ type: 'spki', format: 'der' }))
        .digest('base64url');
      return [{ ...key.export({ format: 'jwk' }), kid }];
    } catch {
      return [];
    }
  });
}
