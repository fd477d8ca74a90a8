import { createHash, randomBytes } from 'node:crypto';
import type { Provider } from './provider.ts';

/** What one login is recognised by. Each is 256 bits that nobody can foresee, and is used once. */
export type LoginSecrets = { readonly state: string; readonly nonce: string; readonly verifier: string };

export function createLoginSecrets(): LoginSecrets {
  const secret = () => randomBytes(32).toString('base64url');
  return { state: secret(), nonce: secret(), verifier: secret() };
}

/** Who logs in, and where the browser comes back to. */
export type LoginClient = {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The address that the person is expected to have. */
  readonly loginHint?: string | undefined;
};

/**
 * The address that a person opens to log in: authorization code with PKCE.
 * @see RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core 1.0 §3.1.2.1
 */
export function authorizationUrl(
  { authorization_endpoint }: Provider,
  { clientId, redirectUri, loginHint }: LoginClient,
  { state, nonce, verifier }: LoginSecrets,
): string {
  const url = new URL(authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid email',
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
