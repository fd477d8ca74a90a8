import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Jwk } from '@colophon/oidc';
import { makeIssuerKey, mintToken, type TokenAlg } from '../token-issuer/token-issuer.ts';

/** Somebody else's issuer on 127.0.0.1: a discovery document and a key set, and tokens signed with its key. */
export type ForeignIssuer = {
  /** Its `iss`: an http address without a path. */
  readonly url: string;
  /** Its key set. */
  readonly jwksUrl: string;
  /** The keys that it publishes; what is put in or taken out counts from the next question on. */
  readonly published: Jwk[];
  /** A token of it. `iss` is its own unless `claims` say otherwise; a claim or header that is undefined is left out. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): string;
  /** Signs with a new key from now on, and publishes no other. */
  rotate(): void;
  /** What it was asked, oldest first. */
  requests(): readonly IncomingMessage[];
  stop(): Promise<void>;
};

/** Starts an issuer whose tokens are signed with a key for `alg`. Its test stops it. */
export async function startForeignIssuer({ alg = 'ES256' }: { readonly alg?: TokenAlg } = {}): Promise<ForeignIssuer> {
  const asked: IncomingMessage[] = [];
  const published: Jwk[] = [];
  let made = 0;
  const makeKey = () => makeIssuerKey(alg, `foreign-${++made}`);
  let key = makeKey();
  published.push(key.jwk);
  const documents: Record<string, () => unknown> = {
    '/.well-known/openid-configuration': () => ({ issuer: url, jwks_uri: `${url}/jwks` }),
    '/jwks': () => ({ keys: published }),
  };
  const server = createServer((request, response) => {
    asked.push(request);
    const document = documents[request.url ?? ''];
    response.statusCode = document === undefined ? 404 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(document?.() ?? { error: 'not_found' }));
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    jwksUrl: `${url}/jwks`,
    published,
    sign: (claims, header = {}) => mintToken(key, { iss: url, ...claims }, header),
    rotate() {
      key = makeKey();
      published.splice(0, published.length, key.jwk);
    },
    requests: () => asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
