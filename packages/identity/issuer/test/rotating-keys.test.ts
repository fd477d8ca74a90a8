import { type KeysInForce, oneKey, type Signer, type SigningKeys } from '@colophon/keys';
import { SIX_FIELDS } from '@colophon/testkit';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { ISSUER_URL, issuerFixture, ledgerSize, testKey } from './issuer-fixture.ts';

const OLD = testKey('old', 'ES256');
const NEW = testKey('new', 'ES256');
const NOW = Date.parse('2026-11-21T12:00:00Z');
const SIGNS = NOW + 305_000;
const JWKS = '/.well-known/jwks.json';
const DISCOVERY = '/.well-known/openid-configuration';

/** Keys of which the new one is published at `NOW`, signs at `SIGNS`, and stays alone a quarter of an hour later. */
function rotating(next: Signer = NEW, cacheSeconds = 300): SigningKeys {
  const stretches: ReadonlyArray<KeysInForce & { readonly until: number }> = [
    { until: NOW, signer: OLD, published: [OLD] },
    { until: SIGNS, signer: OLD, published: [OLD, next] },
    { until: SIGNS + 960_000, signer: next, published: [OLD, next] },
    { until: Number.POSITIVE_INFINITY, signer: next, published: [next] },
  ];
  const at = (now: number) => stretches.find(({ until }) => now < until)!;
  return { alg: 'ES256', cacheSeconds, tokenSeconds: 600, at };
}

test('the key set, its ETag and the issuer’s own answer follow the keys; the discovery document stays', async () => {
  const { app, clock, issuer } = await issuerFixture(onTestFinished, { signingKeys: rotating() });
  const seen: Array<[kids: readonly string[], etag: unknown]> = [];
  const discovery = (await app.inject({ url: DISCOVERY })).rawPayload;
  for (const now of [NOW - 1, NOW, SIGNS - 1, SIGNS, SIGNS + 960_000]) {
    clock.set(now);
    const answer = await app.inject({ url: JWKS });
    expect(answer.json()).toEqual(issuer.jwks);
    const known = await app.inject({ url: JWKS, headers: { 'if-none-match': String(seen.at(-1)?.[1]) } });
    const kids = issuer.jwks.keys.map(({ kid }) => kid!);
    expect(known.statusCode).toBe(seen.at(-1)?.[0].join() === kids.join() ? 304 : 200);
    seen.push([kids, answer.headers['etag']]);
    expect((await app.inject({ url: DISCOVERY })).rawPayload.equals(discovery)).toBe(true);
  }
  const both = [OLD.kid, NEW.kid];
  expect(seen.map(([kids]) => kids)).toEqual([[OLD.kid], both, both, both, [NEW.kid]]);
  expect(new Set(seen.map(([, etag]) => etag)).size).toBe(3);
});

test('every token is signed by the key of its time, and verifies with a key set that was fetched a cache life before', async () => {
  const { post, clock, issuer } = await issuerFixture(onTestFinished, { signingKeys: rotating() });
  for (let now = NOW; now <= SIGNS + 1_300_000; now += 50_000) {
    clock.set(now - 300_000);
    const cached = createLocalJWKSet(issuer.jwks as unknown as JSONWebKeySet);
    clock.set(now);
    const { body } = await post(SIX_FIELDS);
    expect(decodeProtectedHeader(body)).toEqual({ alg: 'ES256', kid: (now < SIGNS ? OLD : NEW).kid, typ: 'JWT' });
    await jwtVerify(body, cached, { issuer: ISSUER_URL, currentDate: new Date(now) });
    // And at its very end, with what is published then.
    clock.set(now + 600_000);
    const then = createLocalJWKSet(issuer.jwks as unknown as JSONWebKeySet);
    await jwtVerify(body, then, { issuer: ISSUER_URL, currentDate: new Date(now) });
    clock.set(now);
  }
});

test.each([
  [1, 'public, max-age=1'],
  [2.9, 'public, max-age=2'],
  [300, 'public, max-age=300'],
  [86_400, 'public, max-age=300'],
])('where keys change after a cache life of %d s the key set is kept by nobody for longer', async (seconds, header) => {
  const { app } = await issuerFixture(onTestFinished, { signingKeys: rotating(NEW, seconds) });
  expect((await app.inject({ url: JWKS })).headers['cache-control']).toBe(header);
  expect((await app.inject({ url: DISCOVERY })).headers['cache-control']).toBe('public, max-age=300');
});

test('a next key that fails refuses the request that it fails, and no other', async () => {
  let fails = 1;
  const next: Signer = {
    ...{ alg: NEW.alg, publicKey: NEW.publicKey, spki: NEW.spki, kid: NEW.kid, publicJwk: NEW.publicJwk },
    signDer: (data) => NEW.signDer(data),
    signJose: async (data) => {
      fails -= 1;
      if (fails >= 0) throw new Error('no answer from the key service');
      return NEW.signJose(data);
    },
  };
  const { post, clock, db } = await issuerFixture(onTestFinished, { signingKeys: rotating(next) });
  expect((await post(SIX_FIELDS)).status).toBe(200);
  clock.set(SIGNS);
  expect((await post(SIX_FIELDS)).status).toBe(500);
  expect((await post(SIX_FIELDS)).status).toBe(200);
  expect(ledgerSize(db)).toBe(3);
});

test('tokens may not outlive the time for which their key stays published', async () => {
  const start = (lifetimeSeconds: number, signingKeys: SigningKeys) =>
    issuerFixture(onTestFinished, { signingKeys, lifetimeSeconds });
  await expect(start(601, rotating())).rejects.toThrow(TypeError);
  await start(600, rotating());
  await start(3600, oneKey(OLD));
});
