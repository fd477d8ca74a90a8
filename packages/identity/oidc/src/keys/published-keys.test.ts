import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { deadUrl, fakeClock, makeIssuerKey, selfSigned, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { faultOf } from '../../test/refusal.ts';
import { createDiscoveredKeys } from './discovered-keys.ts';
import { KEY_SET_COOLDOWN_MS, KEY_SET_LIFETIME_MS } from './kept-keys.ts';
import { createPublishedKeys, type PublishedKeysOptions } from './published-keys.ts';

const key = makeIssuerKey('ES256');
const next = makeIssuerKey('RS256');
const ISSUER = 'https://kubernetes.default.svc';
const setOf = (...keys: object[]) => JSON.stringify({ keys });

/** A server on loopback that answers with `state.answer`, and the Authorization headers that it was sent. */
async function serve(answer: string | RequestListener = setOf(key.jwk), tls?: { cert: string; key: string }) {
  const asked: string[] = [];
  const state = { answer };
  const listener: RequestListener = (request, response) => {
    asked.push(request.headers.authorization ?? '-');
    if (typeof state.answer === 'string') response.end(state.answer);
    else state.answer(request, response);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { asked, state, url: `${tls === undefined ? 'http' : 'https'}://localhost:${port}/openid/v1/jwks` };
}

/** A clock that stands still until it is moved, as these keys read it. */
function stillClock() {
  const clock = fakeClock({ now: '2026-11-21T12:00:00Z' });
  return { now: () => new Date(clock.now()), advance: (ms: number) => clock.advance(ms) };
}

function keysAt(url: string, options: Partial<PublishedKeysOptions> = {}) {
  const clock = stillClock();
  const keys = createPublishedKeys({ url, fetch, clock, ...options });
  return { clock, find: async (kid = key.kid) => Promise.resolve(keys.findKey(ISSUER, kid)).catch(faultOf) };
}

function fileOf(content: string): string {
  const path = join(temporaryFolder(onTestFinished), 'file');
  writeFileSync(path, content);
  return path;
}

test('keys come from the configured address, whatever the issuer is called, and nothing else is asked', async () => {
  const { url, asked } = await serve();
  const { find } = keysAt(url);
  expect(await find()).toEqual(key.jwk);
  expect(asked).toEqual(['-']);
});

test('an address that others could answer is refused', async () => {
  for (const url of ['http://ci.example/jwks', 'https://u:p@ci.example/jwks', 'file:///jwks', 'jwks']) {
    expect(() => keysAt(url)).toThrow(TypeError);
  }
});

test('keys behind a private authority and a bearer token are found, and both files may change', async () => {
  const certificate = selfSigned();
  const { url, asked } = await serve(undefined, certificate);
  const caFile = fileOf('-----BEGIN NOTHING-----\n');
  const bearerTokenFile = fileOf('first.token-1\n');
  const { find, clock } = keysAt(url, { caFile, bearerTokenFile });
  expect(await find()).toBe('issuer_unreachable');
  for (const cert of [selfSigned().cert, certificate.cert]) {
    writeFileSync(caFile, cert);
    clock.advance(KEY_SET_COOLDOWN_MS);
    expect(await find()).toEqual(cert === certificate.cert ? key.jwk : 'issuer_unreachable');
  }
  writeFileSync(bearerTokenFile, 'second');
  clock.advance(KEY_SET_LIFETIME_MS);
  expect(await find()).toEqual(key.jwk);
  // Not even the token was sent to who is not trusted.
  expect(asked).toEqual(['Bearer first.token-1', 'Bearer second']);
  expect(await keysAt(url, { bearerTokenFile }).find()).toBe('issuer_unreachable');
  expect(asked).toHaveLength(2);
});

test('a discovered issuer may be behind a private authority, too', async () => {
  const certificate = selfSigned();
  const { url, state } = await serve(undefined, certificate);
  const issuer = new URL(url).origin;
  state.answer = ({ url: path }, response) =>
    response.end(path === '/jwks' ? setOf(key.jwk) : JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks` }));
  const clock = stillClock();
  const keys = createDiscoveredKeys({ fetch, clock, caFile: fileOf(certificate.cert) });
  expect(await keys.findKey(issuer, key.kid)).toEqual(key.jwk);
  await expect(createDiscoveredKeys({ fetch, clock }).findKey(issuer, key.kid)).rejects.toMatchObject({
    fault: 'issuer_unreachable',
  });
});

test.each(['', '\n', 'two words', 'a\r\nHost: evil.example', 'é', 'x'.repeat(200_000)])(
  'a file that holds no bearer token sends nothing, and is not shown',
  async (content) => {
    const { url, asked } = await serve();
    expect(await keysAt(url, { bearerTokenFile: fileOf(content) }).find()).toBe('issuer_unreachable');
    expect(asked).toEqual([]);
  },
);

test.each([301, 302, 303, 307, 308])('a redirect with %i is not followed, and gets no bearer token', async (status) => {
  const thief = await serve(setOf(next.jwk));
  const { url, asked } = await serve((_request, response) => response.writeHead(status, { location: thief.url }).end());
  const { find } = keysAt(url, { bearerTokenFile: fileOf('secret') });
  expect(await find(next.kid)).toBe('issuer_unreachable');
  expect([asked, thief.asked]).toEqual([['Bearer secret'], []]);
});

test('a redirect leaves the keys that are known in force, until they are too old', async () => {
  const { url, state } = await serve();
  const { find, clock } = keysAt(url);
  await find();
  state.answer = (_request, response) => response.writeHead(302, { location: url }).end();
  clock.advance(KEY_SET_LIFETIME_MS - 1);
  expect(await find('unknown')).toBe('issuer_unreachable');
  expect(await find()).toEqual(key.jwk);
  clock.advance(1);
  expect(await find()).toBe('issuer_unreachable');
});

test('a set that shrinks or swaps takes effect', async () => {
  const { url, state, asked } = await serve(setOf(key.jwk, next.jwk));
  const { find, clock } = keysAt(url);
  expect(await find(next.kid)).toEqual(next.jwk);
  // An unknown kid asks again, and what is not published any more goes at once.
  state.answer = setOf(key.jwk);
  clock.advance(KEY_SET_COOLDOWN_MS);
  expect(await find('unknown')).toBeUndefined();
  expect(await find(next.kid)).toBeUndefined();
  const swapped = makeIssuerKey('ES256', key.kid);
  state.answer = setOf(swapped.jwk);
  clock.advance(KEY_SET_LIFETIME_MS);
  expect(await find()).toEqual(swapped.jwk);
  expect(asked).toHaveLength(3);
});

test('an issuer that was down is found when it is back', async () => {
  const { url, state } = await serve((request) => request.socket.destroy());
  const { find, clock } = keysAt(url);
  expect(await find()).toBe('issuer_unreachable');
  state.answer = setOf(key.jwk);
  expect(await find()).toBe('issuer_unreachable');
  clock.advance(KEY_SET_COOLDOWN_MS);
  expect(await find()).toEqual(key.jwk);
  expect(await keysAt(await deadUrl()).find()).toBe('issuer_unreachable');
});

test('many who ask at once share one question, also one that fails', async () => {
  const { url, asked, state } = await serve();
  const many = async ({ find }: ReturnType<typeof keysAt>) =>
    new Set((await Promise.all(Array.from({ length: 50 }, (_, i) => find(`k${i}`)))).map(String));
  expect(await many(keysAt(url))).toEqual(new Set(['undefined']));
  expect(asked).toHaveLength(1);
  state.answer = 'no JSON';
  expect(await many(keysAt(url))).toEqual(new Set(['issuer_metadata_invalid']));
  expect(asked).toHaveLength(2);
});

test('an issuer that does not answer is waited for five seconds', async () => {
  const { url } = await serve(() => {});
  const timeout = AbortSignal.timeout;
  const limits: number[] = [];
  const shortened = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms);
    return timeout.call(AbortSignal, ms / 100);
  });
  onTestFinished(() => shortened.mockRestore());
  expect(await keysAt(url).find()).toBe('issuer_unreachable');
  expect(limits).toEqual([5_000]);
});

test('a slow issuer does not keep another one waiting', async () => {
  let answer: (() => void) | undefined;
  const slow = await serve((_request, response) => {
    answer = () => response.end(setOf(key.jwk));
  });
  const quick = await serve(setOf(next.jwk));
  let isAnswered = false;
  const waiting = keysAt(slow.url)
    .find()
    .then((found) => {
      isAnswered = true;
      return found;
    });
  expect(await keysAt(quick.url).find(next.kid)).toEqual(next.jwk);
  expect(isAnswered).toBe(false);
  await expect.poll(() => answer).toBeDefined();
  answer?.();
  expect(await waiting).toEqual(key.jwk);
});

test.each([
  ['65 keys', setOf(...Array.from({ length: 65 }, () => key.jwk))],
  ['a member twice', '{"keys":[],"keys":[]}'],
  ['128 KiB and more', `{"keys":[]}${' '.repeat(128 * 1024)}`],
  ['keys that are no list', '{"keys":"x"}'],
  ['PEM', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
])('an answer with %s is no key set', async (_, answer) => {
  const { url } = await serve(answer);
  expect(await keysAt(url).find()).toBe('issuer_metadata_invalid');
});

test('64 keys are a key set; of two with one kid the first counts', async () => {
  const twin = makeIssuerKey('ES256', key.kid);
  const many = Array.from({ length: 62 }, (_, i) => ({ ...next.jwk, kid: `k${i}` }));
  const { url } = await serve(setOf(...many, key.jwk, twin.jwk));
  expect(await keysAt(url).find()).toEqual(key.jwk);
});

test('a SPIFFE bundle is read from an address, too', async () => {
  const { url } = await serve(
    JSON.stringify({
      spiffe_refresh_hint: 1,
      keys: [
        { ...key.jwk, use: 'jwt-svid' },
        { ...next.jwk, use: 'x509-svid' },
      ],
    }),
  );
  const { find } = keysAt(url, { contents: 'spiffe-bundle' });
  expect(await find()).toEqual(key.jwk);
  expect(await find(next.kid)).toBeUndefined();
});

test('nothing that a server says is shown', async () => {
  const { url } = await serve((_request, response) => response.writeHead(500, 'cAnArY').end('cAnArY'));
  const clock = stillClock();
  const bearerTokenFile = fileOf('cAnArY');
  const keys = createPublishedKeys({ url, fetch, clock, bearerTokenFile });
  const error = await Promise.resolve(keys.findKey(ISSUER, 'a')).catch((said: unknown) => said as Error);
  expect(faultOf(error)).toBe('issuer_unreachable');
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    expect(`${at.message}${at.stack}`).not.toContain('cAnArY');
  }
});
