import { createDiscoveredKeys, verifyToken } from '@colophon/oidc';
import { expect, onTestFinished, test } from 'vitest';
import { startForeignIssuer } from './foreign-issuer.ts';

const NOW = 1_795_240_800;
const CLAIMS = { sub: 'job', aud: 'us', iat: NOW, exp: NOW + 60 };

async function startOne(alg: 'RS256' | 'ES256' | 'EdDSA') {
  const issuer = await startForeignIssuer({ alg });
  onTestFinished(issuer.stop);
  let now = NOW * 1000;
  const keys = createDiscoveredKeys({ fetch, clock: { now: () => new Date(now) } });
  const verify = (token: string) => verifyToken(token, { issuers: [issuer.url], audience: 'us', keys }, NOW);
  return { issuer, verify, pass: (ms: number) => (now += ms) };
}

test.each(['RS256', 'ES256', 'EdDSA'] as const)('its tokens by %s are verified over the network', async (alg) => {
  const { issuer, verify } = await startOne(alg);
  expect((await verify(issuer.sign(CLAIMS))).payload).toEqual({ iss: issuer.url, ...CLAIMS });
  await expect(verify(issuer.sign({ ...CLAIMS, iss: 'https://other.example' }))).rejects.toMatchObject({
    fault: 'token_issuer_untrusted',
  });
  expect(issuer.requests().map(({ url }) => url)).toEqual(['/.well-known/openid-configuration', '/jwks']);
});

test('after a rotation only the new key counts', async () => {
  const { issuer, verify, pass } = await startOne('ES256');
  const old = issuer.sign(CLAIMS);
  await verify(old);
  issuer.rotate();
  pass(10_000);
  expect((await verify(issuer.sign(CLAIMS))).issuer).toBe(issuer.url);
  await expect(verify(old)).rejects.toMatchObject({ fault: 'token_key_unknown' });
});
