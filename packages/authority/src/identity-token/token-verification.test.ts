import { createHmac } from 'node:crypto';
import { CLOCK_SKEW_SECONDS } from '@colophon/oidc';
import { expect, test, vi } from 'vitest';
import { refusalCode } from '../../test/refusal.ts';
import {
  agentClaims,
  encodeSegment,
  ISSUER,
  keySourceOf,
  makeIssuerKey,
  mintToken,
  NOW,
  signInput,
} from '../../test/token-issuer.ts';
import { type TokenTrust, verifyIdentityToken } from './token-verification.ts';

const key = makeIssuerKey('ES256');
const rsa = makeIssuerKey('RS256');
const ed = makeIssuerKey('EdDSA');
const trust: TokenTrust = {
  issuers: [ISSUER],
  ownIssuer: ISSUER,
  audience: 'sigstore',
  keys: keySourceOf([key, rsa, ed]),
};

async function codeOf(token: unknown, options: Partial<TokenTrust> = {}, now = NOW): Promise<string | undefined> {
  try {
    await verifyIdentityToken(token, { ...trust, ...options }, now);
  } catch (error) {
    return refusalCode(error);
  }
  return undefined;
}

const withClaims = (changes: Record<string, unknown>) => mintToken(key, agentClaims(changes));

test.each([key, rsa, ed])('a token signed with $alg says who its bearer is', async (issuerKey) => {
  const token = await verifyIdentityToken(mintToken(issuerKey), trust, NOW);
  expect(token).toMatchObject({ issuer: ISSUER, subject: 'agent:code-writer', expiresAt: NOW + 600 });
  expect(token.claims.agent_version).toBe('1.2.3');
  expect(token.useKey).toHaveLength(32);
});

test('the same token has one use key, which follows issuer and jti, or the whole token where there is no jti', async () => {
  const useKey = async (claims: Record<string, unknown>, of = trust) =>
    Buffer.from((await verifyIdentityToken(mintToken(key, claims), of, NOW)).useKey).toString('hex');
  const claims = agentClaims({ jti: 'one' });
  const first = await useKey(claims);
  expect(await useKey(claims)).toBe(first);
  expect(await useKey({ ...claims, agent_version: '2' })).toBe(first);
  expect(await useKey({ ...claims, jti: 'two' })).not.toBe(first);
  const b = 'https://b.example';
  const other = { ...trust, issuers: [b], ownIssuer: b, keys: keySourceOf([key], b) };
  expect(await useKey({ ...claims, iss: b }, other)).not.toBe(first);
  const { jti: _, ...anonymous } = claims;
  expect(await useKey(anonymous)).toBe(await useKey(anonymous));
  expect(await useKey(anonymous)).not.toBe(await useKey({ ...anonymous, agent_version: '2' }));
  expect(await useKey(anonymous)).not.toBe(first);
});

test('alg none and other algorithms than ours are refused', async () => {
  const unsigned = `${encodeSegment({ alg: 'none', kid: key.kid })}.${encodeSegment(agentClaims())}`;
  expect(await codeOf(`${unsigned}.AA`)).toBe('authority.token_algorithm_refused');
  expect(await codeOf(`${unsigned}.`)).toBe('authority.token_malformed');
  for (const alg of ['None', 'NONE', 'HS256', 'RS512', 'PS256', 'ES512', undefined, null, ['ES256']]) {
    expect(await codeOf(mintToken(key, agentClaims(), { alg })), String(alg)).toBe('authority.token_algorithm_refused');
  }
});

test('a token signed with the public key as a shared secret is refused', async () => {
  const input = `${encodeSegment({ alg: 'HS256', kid: rsa.kid })}.${encodeSegment(agentClaims())}`;
  for (const secret of [JSON.stringify(rsa.jwk), rsa.jwk.n!]) {
    const mac = createHmac('sha256', secret).update(input).digest('base64url');
    expect(await codeOf(`${input}.${mac}`)).toBe('authority.token_algorithm_refused');
  }
});

test('a key inside the header is never looked at', async () => {
  const thief = makeIssuerKey('ES256', key.kid);
  for (const header of [
    { jwk: thief.jwk },
    { jku: 'http://evil.example/jwks' },
    { x5u: 'http://evil.example/x' },
    { x5c: ['AA'] },
  ]) {
    expect(await codeOf(mintToken(thief, agentClaims(), header))).toBe('authority.token_signature_invalid');
    expect(await codeOf(mintToken(key, agentClaims(), header))).toBeUndefined();
  }
});

test('a header that demands something to be understood is refused', async () => {
  expect(await codeOf(mintToken(key, agentClaims(), { crit: ['exp'] }))).toBe('authority.token_algorithm_refused');
  expect(await codeOf(mintToken(key, agentClaims(), { b64: false }))).toBe('authority.token_algorithm_refused');
});

test.each([
  `${ISSUER}/`,
  `${ISSUER}.evil.example`,
  'https://evil.example/?http://localhost:7080',
  'http://localhost:7080@evil.example',
  `${ISSUER}\n`,
  'http://LOCALHOST:7080',
  'http://localhost:7081',
  '',
  null,
  undefined,
  [ISSUER],
])('the issuer %j is not trusted, and not asked', async (iss) => {
  const findKey = vi.fn();
  expect(await codeOf(withClaims({ iss }), { keys: { findKey } })).toBe('authority.token_issuer_untrusted');
  expect(findKey).not.toHaveBeenCalled();
});

test('a key that the issuer does not publish is refused', async () => {
  for (const kid of ['other', '', undefined, null, 7, [key.kid]]) {
    expect(await codeOf(mintToken(key, agentClaims(), { kid }))).toBe('authority.token_key_unknown');
  }
});

test('a kid that is empty or no text is not asked for', async () => {
  const findKey = vi.fn(() => key.jwk);
  for (const kid of ['', 7, null, [key.kid], undefined]) {
    const token = mintToken(key, agentClaims(), { kid });
    expect(await codeOf(token, { keys: { findKey } })).toBe('authority.token_key_unknown');
  }
  expect(findKey).not.toHaveBeenCalled();
});

test('a changed claim breaks the signature', async () => {
  const [head, , signature] = mintToken(key).split('.');
  expect(
    await codeOf(`${head}.${encodeSegment(agentClaims({ sub: 'agent:other', agent_name: 'other' }))}.${signature}`),
  ).toBe('authority.token_signature_invalid');
});

test('nothing in a token is believed before its signature', async () => {
  const thief = makeIssuerKey('ES256', key.kid);
  for (const changes of [{ aud: 'other' }, { exp: NOW - 600 }, { sub: 'bad sub' }, { jti: null }]) {
    expect(await codeOf(mintToken(thief, agentClaims(changes)))).toBe('authority.token_signature_invalid');
  }
});

test.each([
  'sigstore2',
  'Sigstore',
  '',
  null,
  undefined,
  7,
  [],
  ['other'],
  ['sigstore', 'other'],
  ['other', 'sigstore'],
  [['sigstore']],
  { sigstore: 1 },
])('the audience %j is not ours', async (aud) => {
  expect(await codeOf(withClaims({ aud }))).toBe('authority.token_audience_wrong');
});

test('the audience alone in a list is ours, and the audience is configurable', async () => {
  expect(await codeOf(withClaims({ aud: ['sigstore'] }))).toBeUndefined();
  expect(await codeOf(withClaims({ aud: 'mine' }), { audience: 'mine' })).toBeUndefined();
  expect(await codeOf(withClaims({}), { audience: 'mine' })).toBe('authority.token_audience_wrong');
});

test('a token is valid up to its expiry and the skew after it, to the second', async () => {
  const token = mintToken(key);
  expect(await codeOf(token, {}, NOW + 600 + CLOCK_SKEW_SECONDS - 1)).toBeUndefined();
  expect(await codeOf(token, {}, NOW + 600 + CLOCK_SKEW_SECONDS)).toBe('authority.token_expired');
});

test('a token is valid from iat and nbf on, the skew before them, to the second', async () => {
  const token = mintToken(key);
  expect(await codeOf(token, {}, NOW - CLOCK_SKEW_SECONDS)).toBeUndefined();
  expect(await codeOf(token, {}, NOW - CLOCK_SKEW_SECONDS - 1)).toBe('authority.token_not_yet_valid');
  expect(await codeOf(withClaims({ nbf: NOW + CLOCK_SKEW_SECONDS }))).toBeUndefined();
  expect(await codeOf(withClaims({ nbf: NOW + CLOCK_SKEW_SECONDS + 1 }))).toBe('authority.token_not_yet_valid');
  expect(await codeOf(withClaims({ iat: NOW + CLOCK_SKEW_SECONDS + 1, nbf: NOW }))).toBe(
    'authority.token_not_yet_valid',
  );
});

test.each(['exp', 'iat'])('%s must be there', async (name) => {
  expect(await codeOf(withClaims({ [name]: undefined }))).toBe('authority.token_claim_invalid');
});

test.each(['exp', 'iat', 'nbf'])('%s is a whole, positive number of seconds', async (name) => {
  for (const value of [null, String(NOW), NOW + 0.5, -1, 0, [NOW], {}, true]) {
    expect(await codeOf(withClaims({ [name]: value })), JSON.stringify(value)).toBe('authority.token_claim_invalid');
  }
});

test('a token that ends before it begins is refused', async () => {
  expect(await codeOf(withClaims({ iat: NOW, exp: NOW }))).toBe('authority.token_claim_invalid');
  expect(await codeOf(withClaims({ iat: NOW, exp: NOW - 1 }))).toBe('authority.token_claim_invalid');
  expect(await codeOf(withClaims({ iat: NOW, exp: NOW + 1 }))).toBeUndefined();
});

test('subject and claims are checked too', async () => {
  expect(await codeOf(withClaims({ sub: undefined }))).toBe('authority.token_subject_invalid');
  expect(await codeOf(withClaims({ agent_name: 'other' }))).toBe('authority.token_subject_mismatch');
  expect(await codeOf(withClaims({ model_id: null }))).toBe('authority.token_claim_invalid');
  expect(await codeOf(withClaims({ jti: '' }))).toBe('authority.token_claim_invalid');
});

test('a refusal never repeats the token', async () => {
  const token = mintToken(key, agentClaims({ aud: 'canary-audience' }));
  await expect(verifyIdentityToken(token, trust, NOW)).rejects.toSatisfy(
    (error: Error) => !error.message.includes('canary') && !error.message.includes(token.slice(0, 20)),
  );
});

test('a token’s own malleated spellings are refused before any key is asked for', async () => {
  const findKey = vi.fn();
  const token = mintToken(key);
  for (const twin of [
    `${token} `,
    `${token}=`,
    `${token}\n`,
    token.replace('.', '..'),
    `${token}.${signInput(key, 'x')}`,
  ]) {
    expect(await codeOf(twin, { keys: { findKey } })).toBe('authority.token_malformed');
  }
  expect(findKey).not.toHaveBeenCalled();
});
