import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** npm's oidc-provider as a company's login: people log in with a form, programs come back to loopback with PKCE. */
export type Sso = {
  readonly url: string;
  readonly clientId: string;
  /** Logs in as a person with plain requests, as a browser would; answers with the last page. */
  browse(address: string, person: string): Promise<{ readonly status: number; readonly body: string }>;
  /** An identity token of a person. */
  token(person: string): Promise<string>;
  stop(): Promise<void>;
};

const CLIENT_ID = 'colophon';

/** Starts it; `addresses` gives the e-mail address of each person by their login. */
export async function startSso(addresses: Readonly<Record<string, string>>): Promise<Sso> {
  // @ts-expect-error: it ships no types
  const { default: Provider } = await import('oidc-provider');
  let answer: RequestListener = () => {};
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(url, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'sso-1', alg: 'RS256', use: 'sig' }] },
    clients: [
      {
        client_id: CLIENT_ID,
        application_type: 'native',
        // RFC 8252 §7.3: whatever the port.
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    ],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: addresses[id], email_verified: true }),
    }),
  });
  answer = provider.callback();
  const token = async (person: string) => {
    const verifier = randomBytes(32).toString('base64url');
    const redirectUri = 'http://127.0.0.1:9/callback';
    const address = new URL(`${url}/auth`);
    address.search = new URLSearchParams({
      ...{ response_type: 'code', client_id: CLIENT_ID, redirect_uri: redirectUri, scope: 'openid email' },
      ...{ state: 's', nonce: 'n', code_challenge_method: 'S256' },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    }).toString();
    const back = await walk(address.href, person, (next) => next.startsWith(redirectUri));
    const code = new URL(back.url).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, client_id: CLIENT_ID };
    const body = new URLSearchParams({ ...form, code_verifier: verifier });
    const response = await fetch(`${url}/token`, { method: 'POST', body });
    const { id_token } = (await response.json()) as { id_token?: string };
    if (id_token === undefined) throw new Error(`oidc-provider answered ${response.status}`);
    return id_token;
  };
  return {
    url,
    clientId: CLIENT_ID,
    browse: (address, person) => walk(address, person, () => false),
    token,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Follows redirects and fills in forms, keeping cookies, until `stops` or there is nothing left to do. */
async function walk(first: string, person: string, stops: (url: string) => boolean) {
  const cookies = new Map<string, string>();
  let url = first;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    if (stops(url)) return { url, status: 0, body: '' };
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const init = form === undefined ? {} : { method: 'POST', body: form };
    const response = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    form = undefined;
    const location = response.headers.get('location');
    const body = await response.text();
    if (location !== null) {
      url = new URL(location, url).href;
      continue;
    }
    const action = /<form[^>]* action="([^"]+)"/.exec(body)?.[1];
    if (action === undefined) return { url, status: response.status, body };
    const prompt = /name="prompt" value="([^"]+)"/.exec(body)?.[1] ?? '';
    form = new URLSearchParams(prompt === 'login' ? { prompt, login: person, password: 'x' } : { prompt });
    url = new URL(action, url).href;
  }
  throw new Error('the login went in circles');
}
