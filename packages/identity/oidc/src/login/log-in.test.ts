import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { deadUrl, makeIssuerKey, mintToken, type Peer, startPeer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { logIn } from './log-in.ts';

const CLIENT = 'colophon';
const KEY = makeIssuerKey('RS256', 'sso-1');
const EMAIL = 'dana@example.com';

/** What a provider does otherwise than it should, and what a browser does. */
type Changes = {
  readonly metadata?: object;
  readonly claims?: object;
  readonly header?: object;
  /** Instead of the answer of the token endpoint. */
  readonly answer?: { readonly status: number; readonly body: unknown };
  /** What the browser comes back with. */
  readonly back?: (parameters: URLSearchParams) => string;
  /** What happens on the loopback port before. */
  readonly before?: (redirectUri: string, state: string) => Promise<void>;
};

/** A provider whose people log in at once. */
async function startProvider({ metadata, claims, header, answer }: Changes = {}) {
  const asked: { nonce?: string; challenge?: string } = {};
  const peer: Peer = await startPeer(onTestFinished, (incoming, response) => {
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (incoming.url === '/jwks') return json({ keys: [KEY.jwk] });
    if (incoming.url === '/token') {
      if (answer !== undefined) return json(answer.body, answer.status);
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: peer.url, sub: 'CgVkYW5h', aud: CLIENT, iat: now, exp: now + 300, nonce: asked.nonce };
      const token = mintToken(KEY, { ...usual, email: EMAIL, email_verified: true, ...claims }, { ...header });
      return json({ access_token: 'opaque', token_type: 'Bearer', id_token: token });
    }
    const endpoints = {
      authorization_endpoint: `${peer.url}/authorize?tenant=acme`,
      token_endpoint: `${peer.url}/token`,
    };
    return json({ issuer: peer.url, jwks_uri: `${peer.url}/jwks`, ...endpoints, ...metadata });
  });
  return { url: peer.url, asked, peer };
}

/** GET on the loopback port, as whatever program asks. */
function get(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode!, body, headers: response.headers }));
    });
    sent.on('error', reject).end();
  });
}

/** Logs in with a browser that follows the address at once. */
async function loggedIn(
  changes: Changes = {},
  options: { readonly issuer?: string; readonly timeoutMs?: number } = {},
) {
  const provider = await startProvider(changes);
  const shown: Array<Awaited<ReturnType<typeof get>>> = [];
  const addresses: URL[] = [];
  let browsing: Promise<void> | undefined;
  const browse = async (address: URL) => {
    const parameters = address.searchParams;
    provider.asked.nonce = parameters.get('nonce')!;
    const [redirectUri, state] = [parameters.get('redirect_uri')!, parameters.get('state')!];
    await changes.before?.(redirectUri, state);
    const query = changes.back?.(parameters) ?? `code=c0de&state=${state}`;
    shown.push(await get(`${redirectUri}?${query}`));
  };
  const token = await logIn({
    ...{ issuer: provider.url, clientId: CLIENT, loginHint: EMAIL },
    onAddress: (url) => {
      addresses.push(new URL(url));
      browsing = browse(new URL(url));
      browsing.catch(() => {});
    },
    ...options,
  });
  await browsing;
  return { token, shown, address: addresses[0]!, provider };
}

async function failureOf(changes: Changes, options?: Parameters<typeof loggedIn>[1]) {
  const error = (await loggedIn(changes, options).catch((thrown: unknown) => thrown)) as Error & {
    code: string;
    facts: object;
  };
  expect(error).toBeInstanceOf(Error);
  const said = JSON.stringify({ ...error, message: error.message });
  // Neither what proves the login nor what it gave.
  for (const secret of ['c0de', 'eyJ']) expect(said).not.toContain(secret);
  return error;
}

test('a person logs in with a code and PKCE, and the token is the provider’s', async () => {
  const { token, shown, address, provider } = await loggedIn();
  expect(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())).toMatchObject({ email: EMAIL });
  expect(address.href).toMatch(`${provider.url}/authorize?tenant=acme&response_type=code`);
  const asked = Object.fromEntries(address.searchParams);
  expect(asked).toMatchObject({
    client_id: CLIENT,
    scope: 'openid email',
    login_hint: EMAIL,
    code_challenge_method: 'S256',
  });
  expect(asked['redirect_uri']).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const sent = provider.peer.requests.find(({ head }) => head.url === '/token')!;
  const form = Object.fromEntries(new URLSearchParams(sent.body));
  expect(form).toMatchObject({
    grant_type: 'authorization_code',
    code: 'c0de',
    client_id: CLIENT,
    redirect_uri: asked['redirect_uri'],
  });
  expect(createHash('sha256').update(form['code_verifier']!).digest('base64url')).toBe(asked['code_challenge']);
  expect(form['code_verifier']).toMatch(/^[\w-]{43}$/);
  expect(shown[0]).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  });
  expect(shown[0]!.body).toContain('You are logged in');
  // Nobody answers at the port any more.
  await expect(get(asked['redirect_uri']!)).rejects.toThrow();
});

test('each login has a state, a nonce and a verifier of its own', async () => {
  const [one, other] = [await loggedIn(), await loggedIn()];
  for (const name of ['state', 'nonce', 'code_challenge']) {
    const values = [one, other].map(({ address }) => address.searchParams.get(name)!);
    expect(values[0]).toMatch(/^[\w-]{43}$/);
    expect(values[0]).not.toBe(values[1]);
  }
});

test('whatever else comes to the port is answered with 404, and the login goes on', async () => {
  const statuses: number[] = [];
  const { token } = await loggedIn({
    async before(redirectUri, state) {
      const { origin, port } = new URL(redirectUri);
      const good = `code=stolen&state=${state}`;
      const requests: Array<[url: string, headers?: Record<string, string>, method?: string]> = [
        [`${origin}/`],
        [`${origin}/favicon.ico`],
        [`${origin}/callback/?${good}`],
        [redirectUri],
        [`${redirectUri}?code=stolen`],
        [`${redirectUri}?code=stolen&state=${state.slice(0, -1)}`],
        [`${redirectUri}?code=stolen&state=${'x'.repeat(state.length)}`],
        [`${redirectUri}?${good}&state=${state}`],
        [`${redirectUri}?${good}`, {}, 'POST'],
        [`${redirectUri}?${good}`, {}, 'HEAD'],
        // A page of the web that made its name point here.
        [`${redirectUri}?${good}`, { host: `evil.example:${port}` }],
        [`${redirectUri}?${good}`, { host: `localhost:${port}` }],
      ];
      for (const one of requests) statuses.push((await get(...one)).status);
    },
  });
  expect(statuses).toEqual(Array(12).fill(404));
  expect(token).toBeDefined();
});

test('of several answers the first one counts, and no other code is ever exchanged', async () => {
  let again: Promise<number>[] = [];
  const { provider } = await loggedIn({
    back: (parameters) => {
      const state = parameters.get('state')!;
      const uri = `${parameters.get('redirect_uri')}?code=other&state=${state}`;
      queueMicrotask(() => {
        again = [1, 2].map(() =>
          get(uri).then(
            ({ status }) => status,
            () => 0,
          ),
        );
      });
      return `code=c0de&state=${state}`;
    },
  });
  for (const status of await Promise.all(again)) expect([0, 404]).toContain(status);
  const codes = provider.peer.requests
    .filter(({ head }) => head.url === '/token')
    .map(({ body }) => new URLSearchParams(body).get('code'));
  expect(codes).toHaveLength(1);
});

test.each<[title: string, back: (state: string, issuer: string) => string, code: string]>([
  ['the person refuses', (state) => `error=access_denied&state=${state}`, 'login.refused'],
  ['it has an error beside a code', (state) => `error=x&code=c0de&state=${state}`, 'login.refused'],
  ['it has no code', (state) => `state=${state}`, 'login.refused'],
  ['it has an empty code', (state) => `code=&state=${state}`, 'login.refused'],
  ['it has two codes', (state) => `code=c0de&code=other&state=${state}`, 'login.refused'],
  [
    'it is of another provider',
    (state) => `code=c0de&state=${state}&iss=https://evil.example`,
    'login.provider_invalid',
  ],
])('an answer does not log in where %s', async (_title, back, code) => {
  const error = await failureOf({ back: (parameters) => back(parameters.get('state')!, '') });
  expect(error.code).toBe(code);
});

test('a provider that says so names itself in each answer', async () => {
  const metadata = { authorization_response_iss_parameter_supported: true };
  expect((await failureOf({ metadata })).code).toBe('login.provider_invalid');
});

test('what the browser shows is text, and nothing of what came in', async () => {
  const markup = '<script>alert(1)</script>';
  const pages: string[] = [];
  const error = await failureOf({
    back: (parameters) =>
      `error=${encodeURIComponent(markup)}&error_description=${encodeURIComponent(markup)}&state=${parameters.get('state')}`,
    before: async (redirectUri) => {
      pages.push((await get(`${redirectUri}?a=${encodeURIComponent(markup)}`)).body);
    },
  });
  expect(error.facts).toMatchObject({ found: markup });
  expect(pages[0]).not.toContain('script');
});

const hour = () => Math.floor(Date.now() / 1000) - 3600;
test.each<[title: string, changes: Changes]>([
  ['another login', { claims: { nonce: 'x'.repeat(43) } }],
  ['no login', { claims: { nonce: undefined } }],
  ['another client', { claims: { aud: 'other' } }],
  ['several clients', { claims: { aud: [CLIENT, 'other'] } }],
  ['a client that handed it on', { claims: { azp: 'other' } }],
  ['another issuer', { claims: { iss: 'https://evil.example' } }],
  ['the past', { claims: { iat: hour(), exp: hour() + 60 } }],
  ['a key that nobody publishes', { header: { kid: 'other' } }],
  ['no key', { header: { alg: 'none' } }],
  ['a shared secret', { header: { alg: 'HS256' } }],
])('a token of %s logs nobody in', async (_title, changes) => {
  expect((await failureOf(changes)).code).toBe('login.token_refused');
});

test.each<[title: string, changes: Changes, code: string]>([
  ['an error', { answer: { status: 400, body: { error: 'invalid_grant' } } }, 'login.refused'],
  ['a page of another kind', { answer: { status: 200, body: ['eyJ'] } }, 'login.provider_invalid'],
  ['no token', { answer: { status: 200, body: { access_token: 'eyJ' } } }, 'login.provider_invalid'],
  ['HTTP 503', { answer: { status: 503, body: {} } }, 'login.provider_unreachable'],
  ['a redirect', { answer: { status: 302, body: {} } }, 'login.provider_unreachable'],
])('a provider that answers the code with %s logs nobody in', async (_title, changes, code) => {
  expect((await failureOf(changes)).code).toBe(code);
});

test.each<[title: string, metadata: object]>([
  ['of another issuer', { issuer: 'https://evil.example' }],
  ['without an authorization endpoint', { authorization_endpoint: undefined }],
  ['with an authorization endpoint in plain http', { authorization_endpoint: 'http://sso.example/authorize' }],
  ['with a script for an authorization endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
  ['with a token endpoint in plain http', { token_endpoint: 'http://sso.example/token' }],
  ['without S256', { code_challenge_methods_supported: ['plain'] }],
])('a document %s is no provider’s', async (_title, metadata) => {
  expect((await failureOf({ metadata })).code).toBe('login.provider_invalid');
});

test.each(['http://sso.example', 'file:///etc/passwd', 'sso.example'])('%s is never asked', async (issuer) => {
  expect((await failureOf({}, { issuer })).code).toBe('login.provider_invalid');
});

test('a provider that is down is a peer that is down', async () => {
  expect((await failureOf({}, { issuer: await deadUrl() })).code).toBe('login.provider_unreachable');
});

test('nobody who logs in within the time', async () => {
  const error = await failureOf({ before: () => new Promise(() => {}) }, { timeoutMs: 50 });
  expect(error.code).toBe('login.timed_out');
});
