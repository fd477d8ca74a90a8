import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeIssuerKey, mintToken } from '@colophon/testkit';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Answer, githubCaller, jobClaims, type RunningIssuer, runIssuer } from './running-issuer.ts';

const key = makeIssuerKey('ES256', 'forge-key');
const evil = makeIssuerKey('ES256', 'forge-key');

afterEach(() => void vi.useRealTimers());

/** The clock goes on by so much; timers stay the system's. */
function pass(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
}

type Forge = { readonly url: string; answer: RequestListener; readonly asked: string[] };

/** Another's issuer that answers as the test wants. */
async function startForge(): Promise<Forge> {
  const forge: { url: string; answer: RequestListener; asked: string[] } = { url: '', answer: () => {}, asked: [] };
  const server = createServer((request, response) => {
    forge.asked.push(`${request.headers.authorization ?? ''}${request.url}`);
    forge.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  forge.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  forge.answer = documents(forge.url);
  return forge;
}

const documents =
  (url: string, changes: { metadata?: object; keys?: unknown } = {}): RequestListener =>
  ({ url: path }, response) => {
    const metadata = { issuer: url, jwks_uri: `${url}/jwks`, ...changes.metadata };
    response.end(JSON.stringify(path === '/jwks' ? { keys: changes.keys ?? [key.jwk] } : metadata));
  };

async function start() {
  const forge = await startForge();
  const issuer = await runIssuer(onTestFinished, (url) => ({ callers: [githubCaller(forge.url, url)] }));
  const token = (by = key, header = {}) => mintToken(by, jobClaims(issuer.url, { iss: forge.url }), header);
  return { forge, issuer, token };
}

/** 503 with the time to wait, by either way; the ledger as before, and nothing of the peer's in answer or log. */
async function unavailable(issuer: RunningIssuer, token: string, code = 'caller.issuer_unreachable'): Promise<Answer> {
  const answer = await issuer.ask({ bearer: token });
  expect(answer).toMatchObject({ status: 503, code, headers: { 'retry-after': '10' } });
  expect(JSON.parse(answer.body)).toMatchObject({ error: 'temporarily_unavailable' });
  expect(await issuer.exchange({ subject_token: token })).toMatchObject({ status: 503, claims: undefined });
  expect(issuer.tokens()).toEqual([]);
  expect(answer.body + JSON.stringify(issuer.lines())).not.toContain('PEER-TEXT');
  return answer;
}

test.each([301, 302, 303, 307, 308])('a redirect by %i is not followed, wherever it leads', async (status) => {
  const { forge, issuer, token } = await start();
  const elsewhere = await startForge();
  for (const path of ['/.well-known/openid-configuration', '/jwks']) {
    forge.answer = (request, response) => {
      if (request.url !== path) return documents(forge.url)(request, response);
      response.writeHead(status, { location: `${elsewhere.url}/jwks` }).end(JSON.stringify({ keys: [evil.jwk] }));
    };
    await unavailable(issuer, token());
    expect(forge.asked.at(-1)).toBe(path);
    pass(15_000);
  }
  expect(elsewhere.asked).toEqual([]);
});

test.each<[string, (url: string, other: string) => object]>([
  ['another issuer', (_url, other) => ({ issuer: other })],
  ['itself with a slash', (url) => ({ issuer: `${url}/` })],
  ['a key set on another port', (_url, other) => ({ jwks_uri: `${other}/jwks` })],
  ['a key set on another host', (url) => ({ jwks_uri: `${url.replace('127.0.0.1', 'localhost')}/jwks` })],
  ['a key set of another scheme', (url) => ({ jwks_uri: `${url.replace('http:', 'https:')}/jwks` })],
  ['a key set with a user', (url) => ({ jwks_uri: `${url.replace('//', '//x@')}/jwks` })],
  ['a key set in a file', () => ({ jwks_uri: 'file:///etc/passwd' })],
  ['a key set in itself', () => ({ jwks_uri: 'data:application/json,{"keys":[]}' })],
  ['a key set at no address', () => ({ jwks_uri: '/jwks' })],
  ['no key set', () => ({ jwks_uri: undefined })],
  ['a list of key sets', (url) => ({ jwks_uri: [`${url}/jwks`] })],
])('metadata that names %s is not believed, and leads nowhere', async (_what, metadata) => {
  const { forge, issuer, token } = await start();
  const elsewhere = await startForge();
  forge.answer = documents(forge.url, { metadata: metadata(forge.url, elsewhere.url) });
  const answer = await issuer.ask({ bearer: token() });
  expect(answer).toMatchObject({ status: 503, code: 'caller.issuer_metadata_invalid' });
  expect(issuer.tokens()).toEqual([]);
  expect(elsewhere.asked).toEqual([]);
  expect(forge.asked).toEqual(['/.well-known/openid-configuration']);
});

test.each<[string, (url: string) => RequestListener, string]>([
  ['a failure', () => (_, response) => void response.writeHead(500).end('PEER-TEXT'), 'issuer_unreachable'],
  ['nothing', () => (_, response) => void response.destroy(), 'issuer_unreachable'],
  ['a page', () => (_, response) => void response.end('<p>PEER-TEXT</p>'), 'issuer_metadata_invalid'],
  ['a list', () => (_, response) => void response.end('["PEER-TEXT"]'), 'issuer_metadata_invalid'],
  ['a member twice', () => (_, response) => void response.end('{"a":1,"a":2}'), 'issuer_metadata_invalid'],
  ['deep nesting', () => (_, response) => void response.end('['.repeat(60_000)), 'issuer_metadata_invalid'],
  [
    'more than 128 KiB',
    () => (_, response) => void response.end(`{"a":"${'x'.repeat(2 ** 18)}"}`),
    'issuer_metadata_invalid',
  ],
  ['endless bytes', () => endless, 'issuer_metadata_invalid'],
  ['65 keys', (url) => documents(url, { keys: Array(65).fill(key.jwk) }), 'issuer_metadata_invalid'],
  ['keys that are no list', (url) => documents(url, { keys: { 0: key.jwk } }), 'issuer_metadata_invalid'],
])('an issuer that answers with %s makes nobody a caller', async (_what, answer, code) => {
  const { forge, issuer, token } = await start();
  forge.answer = answer(forge.url);
  const refusal = await issuer.ask({ bearer: token() });
  expect(refusal).toMatchObject({ status: 503, code: `caller.${code}`, headers: { 'retry-after': '10' } });
  expect(refusal.body + JSON.stringify(issuer.lines())).not.toContain('PEER-TEXT');
  expect(issuer.tokens()).toEqual([]);
});

function endless(...[, response]: Parameters<RequestListener>): void {
  const chunk = `{"a":"${'x'.repeat(65_536)}`;
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

test('an issuer that is slow is given five seconds, and keeps nobody else waiting', async () => {
  const forge = await startForge();
  const issuer = await runIssuer(onTestFinished, (url) => ({
    callers: [{ name: 'builder', apiKey: true, may: { agents: ['code-writer'] } }, githubCaller(forge.url, url)],
  }));
  forge.answer = (_request, response) => void response.write('{');
  const bearer = await issuer.createKey('builder');
  const started = performance.now();
  let answered = 0;
  const waiting = Array.from({ length: 20 }, async () => {
    const { code } = await issuer.ask({ bearer: mintToken(key, jobClaims(issuer.url, { iss: forge.url })) });
    answered++;
    return code;
  });
  expect((await issuer.ask({ bearer })).status).toBe(200);
  expect(answered).toBe(0);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['caller.issuer_unreachable']));
  // One after the other they would wait for 100 seconds.
  expect(performance.now() - started).toBeLessThan(50_000);
  expect(forge.asked).toHaveLength(1);
  expect(issuer.tokens()).toHaveLength(1);
});

test('an issuer that is gone is asked again ten seconds later, and what it confirmed is never declared meanwhile', async () => {
  const { forge, issuer, token } = await start();
  const good = forge.answer;
  forge.answer = (_request, response) => void response.writeHead(502).end();
  await unavailable(issuer, token());
  await unavailable(issuer, token());
  expect(forge.asked).toHaveLength(1);
  forge.answer = good;
  pass(10_001);
  const { claims } = await issuer.ask({ bearer: token() });
  expect(claims!['claim_sources']).toMatch(/repo=caller-token/);
  expect(issuer.tokens()).toHaveLength(1);
});

test('a key that is swapped under its name counts at most for the life of the cache, and ids that are invented ask nobody', async () => {
  const { forge, issuer, token } = await start();
  expect((await issuer.ask({ bearer: token() })).status).toBe(200);
  forge.answer = documents(forge.url, { keys: [evil.jwk] });
  for (let i = 0; i < 50; i += 1) {
    expect((await issuer.ask({ bearer: token(evil, { kid: `invented-${i}` }) })).code).toBe('caller.token_key_unknown');
  }
  expect(forge.asked).toHaveLength(2);
  expect((await issuer.ask({ bearer: token(evil) })).code).toBe('caller.token_signature_invalid');
  pass(5 * 60_000);
  expect((await issuer.ask({ bearer: token() })).code).toBe('caller.token_signature_invalid');
});

test.each<[string, object]>([
  ['a shared secret', { kty: 'oct', k: 'c2VjcmV0', kid: key.kid, alg: 'HS256' }],
  ['a private key', { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid }],
  ['a key for encryption', { ...key.jwk, use: 'enc' }],
  ['a key for another algorithm', { ...key.jwk, alg: 'ES384' }],
  ['a key on another curve', makeIssuerKey('ES384', key.kid).jwk],
  ['a point that is on no curve', { ...key.jwk, x: key.jwk.y, y: key.jwk.x }],
  ['nothing', {}],
])('a key set with %s makes nobody a caller', async (_what, jwk) => {
  const { forge, issuer, token } = await start();
  forge.answer = documents(forge.url, { keys: [jwk] });
  expect((await issuer.ask({ bearer: token() })).status).toBe(401);
  expect(issuer.tokens()).toEqual([]);
});

test('the credential of a caller, and the token of a cluster, leave for nobody', async () => {
  const { forge, issuer, token } = await start();
  await issuer.ask({ bearer: token() });
  expect(forge.asked).toEqual(['/.well-known/openid-configuration', '/jwks']);
});
