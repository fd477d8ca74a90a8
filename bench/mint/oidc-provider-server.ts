import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { Algorithm } from './contender.ts';
import { FIELDS } from './request.ts';

/**
 * npm's oidc-provider, signing JWT access tokens with the same run context for client_credentials; it keeps nothing on
 * disk.
 */
export async function startOidcProvider(alg: Algorithm, port: number): Promise<void> {
  process.env['NODE_ENV'] = 'production';
  // @ts-expect-error: it ships no types
  const { default: Provider } = await import('oidc-provider');
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const resource = 'urn:bench:sigstore';
  const provider = new Provider('http://localhost', {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'bench', alg, use: 'sig' }] },
    clients: [
      {
        client_id: 'bench',
        client_secret: 'bench-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_post',
        id_token_signed_response_alg: alg,
      },
    ],
    ttl: { ClientCredentials: 600 },
    extraTokenClaims: ({ oidc }: { oidc: { body: Record<string, string> } }) =>
      Object.fromEntries(FIELDS.map((field) => [field, oidc.body[field]])),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        getResourceServerInfo: () => ({
          scope: '',
          audience: 'sigstore',
          accessTokenTTL: 600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg } },
        }),
      },
    },
  });
  createServer(provider.callback()).listen(port, '127.0.0.1');
}
