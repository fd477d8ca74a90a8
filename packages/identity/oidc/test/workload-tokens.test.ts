import { type ForeignIssuer, TOKEN_TIME as NOW, platformTokens, startForeignIssuer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createDiscoveredKeys, createPublishedKeys, type TrustedIssuer, verifyCallerToken } from '../src/index.ts';
import { faultOf } from './refusal.ts';

const US = 'https://agents.example';
const { SPIFFE, ...PLATFORMS } = platformTokens(US, NOW);

async function trusted(issuer: ForeignIssuer) {
  onTestFinished(issuer.stop);
  const clock = { now: () => new Date(NOW * 1000) };
  const one: TrustedIssuer = {
    issuer: issuer.url,
    kind: 'oidc',
    audience: US,
    maxAgeSeconds: 3600,
    keys: createDiscoveredKeys({ fetch, clock }),
  };
  const url = issuer.jwksUrl;
  const domain: TrustedIssuer = {
    ...one,
    issuer: 'spiffe://prod.example',
    kind: 'spiffe',
    keys: createPublishedKeys({ url, contents: 'spiffe-bundle', fetch, clock }),
  };
  return new Map([one, domain].map((known) => [known.issuer, known]));
}

test.each(Object.entries(PLATFORMS))('a token of %s is verified by discovery', async (_, { alg, header, claims }) => {
  const issuer = await startForeignIssuer({ alg });
  const known = await trusted(issuer);
  const said = await verifyCallerToken(issuer.sign(claims, header), known, NOW);
  expect(said).toMatchObject({ issuer: issuer.url, jti: claims['jti'], payload: { iss: issuer.url, ...claims } });
  expect(said.expiresAt).toBe(claims.exp);
  // The same for another service, and the same of an issuer that is a neighbour.
  for (const [change, fault] of [
    [{ aud: [US, 'https://kubernetes.default.svc'] }, 'token_audience_wrong'],
    [{ aud: 'https://github.com/acme' }, 'token_audience_wrong'],
    [{ iss: `${issuer.url}/enterprise` }, 'token_issuer_untrusted'],
  ] as const) {
    expect(await verifyCallerToken(issuer.sign({ ...claims, ...change }, header), known, NOW).catch(faultOf)).toBe(
      fault,
    );
  }
  expect(issuer.requests()).toHaveLength(2);
});

test('a JWT-SVID is verified by the bundle of its trust domain', async () => {
  const issuer = await startForeignIssuer({ alg: SPIFFE.alg });
  const [{ alg: _, ...key } = { alg: '' }] = issuer.published;
  issuer.published.splice(0, 1, { ...key, use: 'jwt-svid' }, { ...key, kid: 'x', use: 'x509-svid' });
  const known = await trusted(issuer);
  const claims = { iss: undefined, ...SPIFFE.claims, iat: undefined };
  for (const header of [{}, { typ: undefined }, { kid: undefined }]) {
    const said = await verifyCallerToken(issuer.sign({ ...claims, iat: NOW }, header), known, NOW);
    expect(said).toMatchObject({ issuer: 'spiffe://prod.example', jti: undefined, expiresAt: NOW + 300 });
  }
  const other = { ...claims, sub: 'spiffe://other.example/ns/ci/sa/agent' };
  expect(await verifyCallerToken(issuer.sign(other), known, NOW).catch(faultOf)).toBe('token_issuer_untrusted');
  expect(await verifyCallerToken(issuer.sign(claims, { kid: 'x' }), known, NOW).catch(faultOf)).toBe(
    'token_key_unknown',
  );
  expect(issuer.requests().map(({ url }) => url)).toEqual(['/jwks']);
});

test('a JWT-SVID without kid is refused where its trust domain publishes two keys', async () => {
  const issuer = await startForeignIssuer({ alg: 'ES256' });
  const [key] = issuer.published;
  issuer.published.splice(0, 1, { ...key, use: 'jwt-svid' }, { ...key, kid: 'x', use: 'jwt-svid' });
  const known = await trusted(issuer);
  const claims = { iss: undefined, sub: 'spiffe://prod.example/agent', aud: US, exp: NOW + 300 };
  const fault = await verifyCallerToken(issuer.sign(claims, { kid: undefined }), known, NOW).catch(faultOf);
  expect(fault).toBe('token_key_unknown');
  expect(await verifyCallerToken(issuer.sign(claims), known, NOW)).toMatchObject({ issuer: 'spiffe://prod.example' });
});

test('Kubernetes’ tokens of a year are refused: they are for its own server alone', async () => {
  const issuer = await startForeignIssuer({ alg: 'RS256' });
  const { claims } = PLATFORMS.Kubernetes;
  const year = { ...claims, exp: claims.iat + 365 * 24 * 3600 };
  expect(await verifyCallerToken(issuer.sign(year), await trusted(issuer), NOW).catch(faultOf)).toBe(
    'token_lifetime_too_long',
  );
});

test('an issuer that cannot be asked is told apart from a token that is wrong', async () => {
  const issuer = await startForeignIssuer();
  const claims = { aud: US, iat: NOW, exp: NOW + 60 };
  // Each time nothing is known of the issuer yet.
  const fault = async () => verifyCallerToken(issuer.sign(claims), await trusted(issuer), NOW).catch(faultOf);
  issuer.published.length = 65;
  expect(await fault()).toBe('issuer_metadata_invalid');
  issuer.published.length = 1;
  expect(await fault()).toMatchObject({ issuer: issuer.url });
  await issuer.stop();
  expect(await fault()).toBe('issuer_unreachable');
});
