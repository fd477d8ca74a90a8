import { revokeRingKey, rotateRing } from '@colophon/keys';
import { signBlob } from '@colophon/sigstore';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { tokenKeyRing } from '../src/data-folder/data-folder.ts';
import { json, runServer, type TestServer } from './running-server.ts';

const CACHE_SECONDS = 1;
const REFUSED = { code: expect.stringMatching(/^signing\./) };
const TIMING = { cacheSeconds: CACHE_SECONDS, tokenSeconds: 600 };

const keySet = (server: TestServer): Promise<JSONWebKeySet> => json(fetch(`${server.url}/.well-known/jwks.json`));
const kidOf = (token: string) => decodeProtectedHeader(token).kid!;

/** What the authority answers to somebody who signs with this token. */
function signWith({ url }: TestServer, token: string) {
  const identityToken = async () => token;
  return signBlob({ fulcioUrl: url, rekorUrl: url, identityToken, retries: 0, artifact: Buffer.from('hello') });
}

test('while its key is rotated a server gives tokens that verify with the key set of a cache life ago', async () => {
  const server = await runServer(onTestFinished, { keyTiming: TIMING, tokenAlgorithm: 'ES256' });
  const { url } = server;
  const old = await (await server.mint()).text();
  const sets: Array<{ readonly at: number; readonly keys: JSONWebKeySet }> = [];
  const started = Date.now();
  // The five seconds for which a rotation lets a server look for its keys, shortened by three: it looks every second.
  rotateRing(tokenKeyRing(server.dataDir, 'ES256'), { now: started - 3000, timing: TIMING });
  let token = old;
  const signedAfterwards: string[] = [];
  while (signedAfterwards.length < 10 && Date.now() - started < 20_000) {
    sets.push({ at: Date.now(), keys: await keySet(server) });
    token = await (await server.mint()).text();
    const cached = sets.findLast(({ at }) => at <= Date.now() - CACHE_SECONDS * 1000) ?? sets[0]!;
    await jwtVerify(token, createLocalJWKSet(cached.keys), { issuer: url, audience: 'sigstore' });
    if (kidOf(token) !== kidOf(old)) signedAfterwards.push(token);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(signedAfterwards).toHaveLength(10);
  // Tokens of both keys are certified, and the discovery document's key set has both.
  for (const one of [old, token]) await signWith(server, one);
  expect((await keySet(server)).keys.map(({ kid }) => kid)).toEqual([kidOf(old), kidOf(token)]);
});

test('a key that is revoked signs nothing and certifies nothing five seconds later', async () => {
  const server = await runServer(onTestFinished);
  const stolen = await (await server.mint()).text();
  await signWith(server, stolen);
  const kid = kidOf(stolen);
  // Somebody who means to keep the key has the authority look for another: it must not fetch and keep the key set.
  const [, payload, signature] = stolen.split('.');
  const unknown = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'k'.repeat(43), typ: 'JWT' })).toString('base64url');
  await expect(signWith(server, [unknown, payload, signature].join('.'))).rejects.toMatchObject(REFUSED);
  revokeRingKey(tokenKeyRing(server.dataDir, 'RS256'), kid, Date.now());
  const published = async () => (await keySet(server)).keys.map((key) => key.kid);
  await expect.poll(published).not.toContain(kid);
  const token = await (await server.mint()).text();
  expect(await published()).toEqual([kidOf(token)]);
  await signWith(server, token);
  await expect(signWith(server, stolen)).rejects.toMatchObject(REFUSED);
});

test('a server starts with the ring that it finds, and no revoked key comes back', async () => {
  const first = await runServer(onTestFinished);
  const kid = kidOf(await (await first.mint()).text());
  await first.close();
  const [, second] = revokeRingKey(tokenKeyRing(first.dataDir, 'RS256'), kid, Date.now());
  const { dataDir, reviewerSecretFile } = first;
  const again = await runServer(onTestFinished, {
    dataDir,
    reviewerSecretFile,
    port: Number(new URL(first.url).port),
  });
  expect(kidOf(await (await again.mint()).text())).toBe(second!.kid);
  expect((await keySet(again)).keys.map((key) => key.kid)).toEqual([second!.kid]);
});
