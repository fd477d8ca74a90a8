import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** npm's oidc-provider on loopback: an authorization server of somebody else's, with one client that is a program. */
export type OidcProvider = {
  readonly url: string;
  /** An access token as JWT (RFC 9068) for an audience, by client credentials. */
  token(audience: string): Promise<string>;
  /** Signs with a new key from now on, and publishes no other. */
  rotate(): Promise<void>;
  /** Whether it serves its key set. */
  servesKeys: boolean;
  stop(): Promise<void>;
};

const CLIENT = { client_id: 'agent-runner', client_secret: 'client-secret' };

/** Starts it; `claims` stand in each of its access tokens. */
export async function startOidcProvider(claims: Readonly<Record<string, string>>): Promise<OidcProvider> {
  // @ts-expect-error: it ships no types
  const { default: Provider } = await import('oidc-provider');
  let answer: RequestListener = () => {};
  const server = createServer((request, response) => {
    if (provider.servesKeys || request.url !== '/jwks') answer(request, response);
    else response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let made = 0;
  const resourceServer = (_ctx: unknown, audience: string) => ({
    ...{ scope: '', audience, accessTokenTTL: 600 },
    ...{ accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } },
  });
  const rotate = async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...privateKey.export({ format: 'jwk' }), kid: `provider-${++made}`, alg: 'RS256', use: 'sig' };
    const one = new Provider(url, {
      jwks: { keys: [jwk] },
      clients: [
        {
          ...CLIENT,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      ttl: { ClientCredentials: 600 },
      extraTokenClaims: () => claims,
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: { enabled: true, getResourceServerInfo: resourceServer },
      },
    });
    answer = one.callback();
  };
  const provider: OidcProvider = {
    url,
    rotate,
    servesKeys: true,
    token: async (audience) => {
      const body = new URLSearchParams({ ...CLIENT, grant_type: 'client_credentials', resource: audience });
      const response = await fetch(`${url}/token`, { method: 'POST', body });
      const { access_token: token } = (await response.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`oidc-provider answered ${response.status}`);
      return token;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await rotate();
  return provider;
}
