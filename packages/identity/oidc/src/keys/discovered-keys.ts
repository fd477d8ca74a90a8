import { TokenRefused } from '../token/token-refused.ts';
import type { KeySource } from '../token/verify-token.ts';
import { fetchMetadata } from './fetch-metadata.ts';
import { keepKeys, type OnKeysAsked } from './kept-keys.ts';
import { isKeyAddress } from './key-address.ts';
import { type KeySet, readKeySet } from './key-set.ts';
import { fetchFor } from './private-authority.ts';

/**
 * Keys from an issuer's discovery document and key set. The document must name exactly the issuer that was asked for,
 * and the key set must lie on the same scheme, host and port: a document cannot send us elsewhere. Only call it for
 * issuers that are trusted.
 */
export function createDiscoveredKeys({
  fetch: fetcher,
  clock,
  caFile,
  onAsked,
}: {
  readonly fetch: typeof fetch;
  readonly clock: { now(): Date };
  /** PEM certificates of the private authority that the issuer's own certificate is of; read at each question. */
  readonly caFile?: string | undefined;
  readonly onAsked?: OnKeysAsked | undefined;
}): KeySource {
  return keepKeys(async (issuer) => discover(issuer, await fetchFor(caFile, fetcher)), clock, onAsked);
}

async function discover(issuer: string, fetcher: typeof fetch): Promise<KeySet> {
  if (!isKeyAddress(issuer)) {
    throw new TokenRefused('issuer_unreachable', 'an issuer that is neither https nor on this machine is not asked');
  }
  const metadata = await fetchMetadata(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, fetcher);
  const jwksUri = metadata['jwks_uri'];
  if (metadata['issuer'] !== issuer || typeof jwksUri !== 'string' || !isSameOrigin(jwksUri, issuer)) {
    throw new TokenRefused('issuer_metadata_invalid', 'the issuer’s metadata is not about that issuer');
  }
  return readKeySet(await fetchMetadata(jwksUri, fetcher));
}

function isSameOrigin(url: string, issuer: string): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, username, password } = new URL(url);
  return origin === new URL(issuer).origin && username === '' && password === '';
}
