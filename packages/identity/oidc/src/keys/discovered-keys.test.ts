import { TOKEN_ISSUER as ISSUER, makeIssuerKey, TOKEN_TIME as NOW } from '@colophon/testkit';
import { expect, test } from 'vitest';
import { faultOf } from '../../test/refusal.ts';
import { createDiscoveredKeys } from './discovered-keys.ts';
import { MAX_METADATA_BYTES } from './fetch-metadata.ts';
import { KEY_SET_COOLDOWN_MS, KEY_SET_LIFETIME_MS } from './kept-keys.ts';

const key = makeIssuerKey();
const DISCOVERY = `${ISSUER}/.well-known/openid-configuration`;
const JWKS = `${ISSUER}/jwks`;

type Answer = string | object | Response | (() => Promise<Response>);

function issuer(answers: Record<string, Answer> = {}) {
  const asked: string[] = [];
  const state = {
    now: NOW * 1000,
    answers: { [DISCOVERY]: { issuer: ISSUER, jwks_uri: JWKS }, [JWKS]: { keys: [key.jwk] }, ...answers } as Record<
      string,
      Answer
    >,
  };
  const fetcher = async (address: URL, init?: RequestInit): Promise<Response> => {
    const url = address.href;
    asked.push(url);
    expect(init?.redirect).toBe('manual');
    const answer = state.answers[url] ?? new Response('', { status: 404 });
    if (typeof answer === 'function') return answer();
    return answer instanceof Response
      ? answer
      : new Response(typeof answer === 'string' ? answer : JSON.stringify(answer));
  };
  const keys = createDiscoveredKeys({ fetch: fetcher as typeof fetch, clock: { now: () => new Date(state.now) } });
  return { keys, asked, state };
}

async function codeOf(answers: Record<string, Answer>): Promise<[string | undefined, string[]]> {
  const { keys, asked } = issuer(answers);
  try {
    await keys.findKey(ISSUER, key.kid);
  } catch (error) {
    return [faultOf(error), asked];
  }
  return [undefined, asked];
}

test('keys come from the issuer’s discovery document and key set, which are asked once', async () => {
  const { keys, asked } = issuer();
  expect(await keys.findKey(ISSUER, key.kid)).toEqual(key.jwk);
  expect(await keys.findKey(ISSUER, key.kid)).toEqual(key.jwk);
  expect(asked).toEqual([DISCOVERY, JWKS]);
});

test('many who ask at once make one request', async () => {
  const { keys, asked } = issuer();
  const found = await Promise.all(Array.from({ length: 20 }, () => keys.findKey(ISSUER, key.kid)));
  expect(found.every((jwk) => jwk?.kid === key.kid)).toBe(true);
  expect(asked).toHaveLength(2);
});

test('an unknown kid asks again, but not at once: a rotated key is found, and nobody is hammered', async () => {
  const { keys, asked, state } = issuer();
  await keys.findKey(ISSUER, key.kid);
  const next = makeIssuerKey('ES256', 'next');
  state.answers[JWKS] = { keys: [key.jwk, next.jwk] };
  expect(await keys.findKey(ISSUER, 'next')).toBeUndefined();
  expect(asked).toHaveLength(2);
  state.now += KEY_SET_COOLDOWN_MS;
  expect(await keys.findKey(ISSUER, 'next')).toEqual(next.jwk);
  for (let i = 0; i < 50; i += 1) expect(await keys.findKey(ISSUER, `invented-${i}`)).toBeUndefined();
  expect(asked).toHaveLength(4);
});

test('whether an issuer that is down has a new key is not known, and not denied', async () => {
  const { keys, asked, state } = issuer();
  await keys.findKey(ISSUER, key.kid);
  state.answers[JWKS] = () => Promise.reject(new Error('ECONNREFUSED'));
  state.now += KEY_SET_COOLDOWN_MS;
  for (let i = 0; i < 3; i += 1) {
    await expect(keys.findKey(ISSUER, 'next')).rejects.toMatchObject({ fault: 'issuer_unreachable' });
    expect(await keys.findKey(ISSUER, key.kid)).toEqual(key.jwk);
  }
  expect(asked).toHaveLength(4);
});

test('a key that is published no more is refused after the key set’s life', async () => {
  const { keys, state } = issuer();
  await keys.findKey(ISSUER, key.kid);
  state.answers[JWKS] = { keys: [] };
  state.now += KEY_SET_LIFETIME_MS - 1;
  expect(await keys.findKey(ISSUER, key.kid)).toEqual(key.jwk);
  state.now += 1;
  expect(await keys.findKey(ISSUER, key.kid)).toBeUndefined();
});

test('a clock that goes back keeps no withdrawn key alive, and hides no new one', async () => {
  const { keys, state } = issuer();
  await keys.findKey(ISSUER, key.kid);
  const next = makeIssuerKey('ES256', 'next');
  state.answers[JWKS] = { keys: [next.jwk] };
  state.now -= 60 * 60 * 1000;
  expect(await keys.findKey(ISSUER, key.kid)).toBeUndefined();
  expect(await keys.findKey(ISSUER, 'next')).toEqual(next.jwk);
});

test('an issuer that is down is not asked again at once, and is found when it is back', async () => {
  const { keys, asked, state } = issuer({ [DISCOVERY]: () => Promise.reject(new Error('ECONNREFUSED canary')) });
  await expect(keys.findKey(ISSUER, key.kid)).rejects.toMatchObject({ fault: 'issuer_unreachable' });
  await expect(keys.findKey(ISSUER, key.kid)).rejects.toMatchObject({ fault: 'issuer_unreachable' });
  expect(asked).toHaveLength(1);
  state.answers[DISCOVERY] = { issuer: ISSUER, jwks_uri: JWKS };
  state.now += KEY_SET_COOLDOWN_MS;
  expect(await keys.findKey(ISSUER, key.kid)).toEqual(key.jwk);
});

test.each([301, 302, 303, 307, 308])('a redirect with %i is not followed', async (status) => {
  const redirect = () =>
    Promise.resolve(new Response(null, { status, headers: { location: 'http://169.254.169.254/' } }));
  for (const url of [DISCOVERY, JWKS]) {
    const [code, asked] = await codeOf({ [url]: redirect });
    expect(code).toBe('issuer_unreachable');
    expect(asked.at(-1)).toBe(url);
  }
});

test.each([
  'http://localhost:7081/jwks',
  'https://localhost:7080/jwks',
  'http://127.0.0.1:7080/jwks',
  'http://evil.example/jwks',
  'http://localhost:7080.evil.example/jwks',
  'http://localhost:7080@evil.example/jwks',
  'http://user:pass@localhost:7080/jwks',
  'file:///etc/passwd',
  'jwks',
  7,
  null,
])('a key set at %j is not asked for', async (jwks_uri) => {
  const [code, asked] = await codeOf({ [DISCOVERY]: { issuer: ISSUER, jwks_uri } });
  expect(code).toBe('issuer_metadata_invalid');
  expect(asked).toEqual([DISCOVERY]);
});

test.each([`${ISSUER}/`, 'http://LOCALHOST:7080', 'https://other.example', undefined, null])(
  'a discovery document of %j is not about our issuer',
  async (name) => {
    const [code, asked] = await codeOf({ [DISCOVERY]: { issuer: name, jwks_uri: JWKS } });
    expect(code).toBe('issuer_metadata_invalid');
    expect(asked).toEqual([DISCOVERY]);
  },
);

test('an issuer with a path is asked under its path', async () => {
  const path = `${ISSUER}/realms/a`;
  const { keys, asked } = issuer({
    [`${path}/.well-known/openid-configuration`]: { issuer: path, jwks_uri: JWKS },
  });
  expect(await keys.findKey(path, key.kid)).toEqual(key.jwk);
  expect(asked[0]).toBe(`${path}/.well-known/openid-configuration`);
});

test.each([
  ['text', 'not json'],
  ['a list', '[]'],
  ['no list of keys', '{"keys":{}}'],
  ['too many keys', JSON.stringify({ keys: Array.from({ length: 65 }, () => ({ kid: 'a' })) })],
  ['a member twice', '{"keys":[],"keys":[]}'],
  ['too much', `{"keys":[],"x":"${'x'.repeat(MAX_METADATA_BYTES)}"}`],
])('a key set that is %s is refused', async (_, body) => {
  expect((await codeOf({ [JWKS]: body }))[0]).toBe('issuer_metadata_invalid');
});

test('an endless answer is cut off', async () => {
  let sent = 0;
  const endless = () =>
    Promise.resolve(
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += 65_536;
            controller.enqueue(new Uint8Array(65_536).fill(0x20));
          },
        }),
      ),
    );
  expect((await codeOf({ [JWKS]: endless }))[0]).toBe('issuer_metadata_invalid');
  expect(sent).toBeLessThan(MAX_METADATA_BYTES * 8);
});

test('of two keys with one kid the first counts, and keys without one are left out', async () => {
  const twin = makeIssuerKey('ES256', key.kid);
  const { keys } = issuer({ [JWKS]: { keys: [null, { kty: 'EC' }, { kid: 7 }, key.jwk, twin.jwk] } });
  expect(await keys.findKey(ISSUER, key.kid)).toEqual(key.jwk);
});

test.each(['http://ci.example', 'https://user@ci.example', 'https://ci.example#', 'file:///etc'])(
  'an issuer at %j is not asked: others could answer',
  async (issuerUrl) => {
    const { keys, asked } = issuer();
    await expect(keys.findKey(issuerUrl, key.kid)).rejects.toMatchObject({ fault: 'issuer_unreachable' });
    expect(asked).toEqual([]);
  },
);
