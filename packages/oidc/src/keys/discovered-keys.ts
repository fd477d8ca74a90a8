import { isJsonObject, type JsonObject } from '@colophon/json';
import type { Jwk } from '../token/token-key.ts';
import { TokenRefused } from '../token/token-refused.ts';
import type { KeySource } from '../token/verify-token.ts';
import { fetchMetadata } from './fetch-metadata.ts';

/** How long a key set is used without asking again; a revoked key is refused after that. */
export const KEY_SET_LIFETIME_MS = 5 * 60 * 1000;
/** An unknown `kid` asks the issuer again, but not more often than this. */
export const KEY_SET_COOLDOWN_MS = 10_000;
const MAX_KEYS = 64;

type KeySet = { readonly keys: ReadonlyMap<string, Jwk>; readonly fetchedAt: number };

/**
 * Keys from an issuer's discovery document and key set. The document must name exactly the issuer that was asked for,
 * and the key set must lie on the same scheme, host and port: a document cannot send us elsewhere. Only call it for
 * issuers that are trusted.
 */
export function createDiscoveredKeys({
  fetch: fetcher,
  clock,
}: {
  readonly fetch: typeof fetch;
  readonly clock: { now(): Date };
}): KeySource {
  const cache = new Map<string, { set?: KeySet; askedAt: number; pending?: Promise<KeySet> }>();

  return {
    async findKey(issuer, kid) {
      const entry = cache.get(issuer) ?? { askedAt: Number.NEGATIVE_INFINITY };
      cache.set(issuer, entry);
      const now = clock.now().getTime();
      const isFresh = entry.set !== undefined && isWithin(KEY_SET_LIFETIME_MS, entry.set.fetchedAt, now);
      const known = isFresh ? entry.set?.keys.get(kid) : undefined;
      if (known !== undefined) return known;
      // Somebody who invents key ids must not be able to make us hammer the issuer.
      if (entry.pending === undefined && isWithin(KEY_SET_COOLDOWN_MS, entry.askedAt, now)) {
        if (isFresh) return undefined;
        throw new TokenRefused('issuer_unreachable', 'the issuer could not be reached a moment ago');
      }
      if (entry.pending === undefined) {
        entry.askedAt = now;
        entry.pending = fetchKeySet(issuer, fetcher, now);
      }
      try {
        entry.set = await entry.pending;
      } finally {
        delete entry.pending;
      }
      return entry.set.keys.get(kid);
    },
  };
}

/** Not where the clock went back behind it: how long ago that was is not known any more. */
function isWithin(lifetimeMs: number, since: number, now: number): boolean {
  return now >= since && now - since < lifetimeMs;
}

async function fetchKeySet(issuer: string, fetcher: typeof fetch, now: number): Promise<KeySet> {
  const metadata = await fetchMetadata(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, fetcher);
  const jwksUri = metadata['jwks_uri'];
  if (metadata['issuer'] !== issuer || typeof jwksUri !== 'string' || !isSameOrigin(jwksUri, issuer)) {
    throw new TokenRefused('issuer_metadata_invalid', 'the issuer’s metadata is not about that issuer');
  }
  return { keys: readKeys(await fetchMetadata(jwksUri, fetcher)), fetchedAt: now };
}

function readKeys({ keys }: JsonObject): ReadonlyMap<string, Jwk> {
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) {
    throw new TokenRefused('issuer_metadata_invalid', 'the issuer’s key set is not a list of keys');
  }
  const byId = new Map<string, Jwk>();
  for (const key of keys) {
    if (isJsonObject(key) && typeof key['kid'] === 'string' && !byId.has(key['kid'])) byId.set(key['kid'], key as Jwk);
  }
  return byId;
}

function isSameOrigin(url: string, issuer: string): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, username, password } = new URL(url);
  return origin === new URL(issuer).origin && username === '' && password === '';
}
