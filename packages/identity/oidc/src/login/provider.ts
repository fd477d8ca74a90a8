import type { JsonObject } from '@colophon/json';
import { isLoopback } from '@colophon/peer';
import { fetchMetadata } from '../keys/fetch-metadata.ts';
import { isKeyAddress } from '../keys/key-address.ts';
import { TokenRefused } from '../token/token-refused.ts';
import { LoginError } from './login-error.ts';

/** A login provider, by its own discovery document. */
export type Provider = {
  /** Its `iss`, byte for byte. */
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  /** Whether each of its answers says whose it is (RFC 9207). */
  readonly namesItself: boolean;
};

/**
 * Asks a provider where people log in. Its endpoints may lie on another host, over https: the document came from the
 * issuer itself, which no redirect can replace.
 * @throws LoginError `login.provider_unreachable`, `login.provider_invalid`
 * @see OpenID Connect Discovery 1.0 §3, §4.3; RFC 7636 §5 for a provider without S256
 */
export async function discoverProvider(issuer: string, fetcher: typeof fetch): Promise<Provider> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const refuse = (expected: string) =>
    new LoginError('login.provider_invalid', 'this is no provider that people can log in at', {
      checked: url,
      expected,
    });
  if (!isKeyAddress(issuer)) throw refuse('an https address');
  const metadata = await metadataAt(url, fetcher);
  if (metadata['issuer'] !== issuer) throw refuse(`a document with the issuer ${issuer}`);
  const { authorization_endpoint, token_endpoint, code_challenge_methods_supported: methods } = metadata;
  if (!isEndpoint(authorization_endpoint, issuer)) throw refuse('authorization_endpoint, an https address');
  if (!isEndpoint(token_endpoint, issuer)) throw refuse('token_endpoint, an https address');
  // A provider that lists none may have it all the same.
  if (Array.isArray(methods) && !methods.includes('S256')) throw refuse('code_challenge_methods_supported: S256');
  const namesItself = metadata['authorization_response_iss_parameter_supported'] === true;
  return { issuer, authorization_endpoint, token_endpoint, namesItself };
}

async function metadataAt(url: string, fetcher: typeof fetch): Promise<JsonObject> {
  try {
    return await fetchMetadata(url, fetcher);
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    const isDown = error.fault === 'issuer_unreachable';
    const code = isDown ? 'login.provider_unreachable' : 'login.provider_invalid';
    throw new LoginError(code, `no one can log in: ${error.message}`, { checked: url });
  }
}

/** Only a provider on this machine may name another address on it. */
function isEndpoint(value: unknown, issuer: string): value is string {
  return typeof value === 'string' && isKeyAddress(value) && (!isLoopback(value) || isLoopback(issuer));
}
