import { createHash } from 'node:crypto';
import { SOURCED_CLAIMS } from '@colophon/records';

/**
 * What the JSON request of the contract §2.2 is in OAuth's terms: a grant of our own. It is named because a discovery
 * document without `grant_types_supported` claims `authorization_code` and `implicit` (OpenID Connect Discovery §3).
 */
export const RUN_CONTEXT_GRANT = 'https://colophon.example/grant-types/run-context';

/** RFC 8693 §2.1. */
export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';

export type DiscoveryDocument = Readonly<Record<string, string | boolean | readonly string[]>>;

/**
 * OpenID Connect Discovery §3, true statements only. There is no `authorization_endpoint` and no `scopes_supported`:
 * this issuer has neither a browser flow nor a scope parameter (Kubernetes and GitHub Actions leave the endpoint out
 * too, and go-oidc, Fulcio and openid-client read the document without it).
 * @param servesExchange whether callers may send their credential as the subject of a token exchange
 */
export function discoveryDocument(issuerUrl: string, alg: string, servesExchange = false): DiscoveryDocument {
  const base = issuerUrl.replace(/\/$/, '');
  return {
    issuer: issuerUrl,
    token_endpoint: `${base}/oauth/token`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [alg],
    grant_types_supported: servesExchange ? [RUN_CONTEXT_GRANT, TOKEN_EXCHANGE_GRANT] : [RUN_CONTEXT_GRANT],
    token_endpoint_auth_methods_supported: ['none'],
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'jti',
      ...SOURCED_CLAIMS,
      'claim_sources',
      'agent_id',
      'trigger',
      'key_thumbprint',
    ],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    // True where it is left out (OpenID Connect Discovery §3).
    request_uri_parameter_supported: false,
  };
}

/** A document that is the same bytes for everybody, made once. */
export type StaticDocument = { readonly body: Buffer; readonly etag: string };

/** Serialises once; the ETag is strong. */
export function staticDocument(value: unknown): StaticDocument {
  const body = Buffer.from(JSON.stringify(value));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}
