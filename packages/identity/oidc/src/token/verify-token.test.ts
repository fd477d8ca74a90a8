import { createHmac } from 'node:crypto';
import {
  agentClaims,
  encodeSegment,
  TOKEN_ISSUER as ISSUER,
  keySourceOf,
  makeIssuerKey,
  mintToken,
  TOKEN_TIME as NOW,
  signInput,
} from '@colophon/testkit';
import { expect, test, vi } from 'vitest';
import { faultOf } from '../../test/refusal.ts';
import { CLOCK_SKEW_SECONDS, type TokenRules, verifyToken } from './verify-token.ts';

const key = makeIssuerKey('ES256');
const rsa = makeIssuerKey('RS256');
const ed = makeIssuerKey('EdDSA');
const rules: TokenRules = { issuers: [ISSUER], audience: 'sigstore', keys: keySourceOf([key, rsa, ed]) };

async function codeOf(token: unknown, options: Partial<TokenRules> = {}, now = NOW): Promise<string | undefined> {
  try {
    await verifyToken(token, { ...rules, ...options }, now);
  } catch (error) {
    return faultOf(error);
  }
  return undefined;
}

const withClaims = (changes: Record<string, unknown>) => mintToken(key, agentClaims(changes));

test.each([key, rsa, ed])('a token signed with $alg is verified, and answers with what it says', async (issuerKey) => {
  const token = mintToken(issuerKey);
  const { issuer, expiresAt, payload, signingInput } = await verifyToken(token, rules, NOW);
  expect([issuer, expiresAt, payload['sub']]).toEqual([ISSUER, NOW + 600, 'agent:code-writer']);
  expect(token.startsWith(`${signingInput}.`)).toBe(true);
});

test('alg none and other algorithms than ours are refused', async () => {
  const unsigned = `${encodeSegment({ alg: 'none', kid: key.kid })}.${encodeSegment(agentClaims())}`;
  expect(await codeOf(`${unsigned}.AA`)).toBe('token_algorithm_refused');
  expect(await codeOf(`${unsigned}.`)).toBe('token_malformed');
  for (const alg of ['None', 'NONE', 'HS256', 'RS512', 'PS256', 'ES512', undefined, null, ['ES256']]) {
    expect(await codeOf(mintToken(key, agentClaims(), { alg })), String(alg)).toBe('token_algorithm_refused');
  }
});

test('a token signed with the public key as a shared secret is refused', async () => {
  const input = `${encodeSegment({ alg: 'HS256', kid: rsa.kid })}.${encodeSegment(agentClaims())}`;
  for (const secret of [JSON.stringify(rsa.jwk), rsa.jwk.n!]) {
    const mac = createHmac('sha256', secret).update(input).digest('base64url');
    expect(await codeOf(`${input}.${mac}`)).toBe('token_algorithm_refused');
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
    expect(await codeOf(mintToken(thief, agentClaims(), header))).toBe('token_signature_invalid');
    expect(await codeOf(mintToken(key, agentClaims(), header))).toBeUndefined();
  }
});

test('a header that demands something to be understood is refused', async () => {
  expect(await codeOf(mintToken(key, agentClaims(), { crit: ['exp'] }))).toBe('token_algorithm_refused');
  expect(await codeOf(mintToken(key, agentClaims(), { b64: false }))).toBe('token_algorithm_refused');
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
  expect(await codeOf(withClaims({ iss }), { keys: { findKey } })).toBe('token_issuer_untrusted');
  expect(findKey).not.toHaveBeenCalled();
});

test('a key that the issuer does not publish is refused', async () => {
  for (const kid of ['other', '', undefined, null, 7, [key.kid]]) {
    expect(await codeOf(mintToken(key, agentClaims(), { kid }))).toBe('token_key_unknown');
  }
});

test('a kid that is empty or no text is not asked for', async () => {
  const findKey = vi.fn(() => key.jwk);
  for (const kid of ['', 7, null, [key.kid], undefined]) {
    const token = mintToken(key, agentClaims(), { kid });
    expect(await codeOf(token, { keys: { findKey } })).toBe('token_key_unknown');
  }
  expect(findKey).not.toHaveBeenCalled();
});

test('a changed claim breaks the signature', async () => {
  const [head, , signature] = mintToken(key).split('.');
  expect(
    await codeOf(`${head}.${encodeSegment(agentClaims({ sub: 'agent:other', agent_name: 'other' }))}.${signature}`),
  ).toBe('token_signature_invalid');
});

test('nothing in a token is believed before its signature', async () => {
  const thief = makeIssuerKey('ES256', key.kid);
  for (const changes of [{ aud: 'other' }, { exp: NOW - 600 }, { sub: 'bad sub' }, { jti: null }]) {
    expect(await codeOf(mintToken(thief, agentClaims(changes)))).toBe('token_signature_invalid');
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
  expect(await codeOf(withClaims({ aud }))).toBe('token_audience_wrong');
});

test('the audience alone in a list is ours, and the audience is configurable', async () => {
  expect(await codeOf(withClaims({ aud: ['sigstore'] }))).toBeUndefined();
  expect(await codeOf(withClaims({ aud: 'mine' }), { audience: 'mine' })).toBeUndefined();
  expect(await codeOf(withClaims({}), { audience: 'mine' })).toBe('token_audience_wrong');
});

test('a token is valid up to its expiry and the skew after it, to the second', async () => {
  const token = mintToken(key);
  expect(await codeOf(token, {}, NOW + 600 + CLOCK_SKEW_SECONDS - 1)).toBeUndefined();
  expect(await codeOf(token, {}, NOW + 600 + CLOCK_SKEW_SECONDS)).toBe('token_expired');
});

test('a token is valid from iat and nbf on, the skew before them, to the second', async () => {
  const token = mintToken(key);
  expect(await codeOf(token, {}, NOW - CLOCK_SKEW_SECONDS)).toBeUndefined();
  expect(await codeOf(token, {}, NOW - CLOCK_SKEW_SECONDS - 1)).toBe('token_not_yet_valid');
  expect(await codeOf(withClaims({ nbf: NOW + CLOCK_SKEW_SECONDS }))).toBeUndefined();
  expect(await codeOf(withClaims({ nbf: NOW + CLOCK_SKEW_SECONDS + 1 }))).toBe('token_not_yet_valid');
  expect(await codeOf(withClaims({ iat: NOW + CLOCK_SKEW_SECONDS + 1, nbf: NOW }))).toBe('token_not_yet_valid');
});

test.each(['exp', 'iat'])('%s must be there', async (name) => {
  expect(await codeOf(withClaims({ [name]: undefined }))).toBe('token_claim_invalid');
});

test.each(['exp', 'iat', 'nbf'])('%s is a whole, positive number of seconds', async (name) => {
  for (const value of [null, String(NOW), NOW + 0.5, -1, 0, [NOW], {}, true]) {
    expect(await codeOf(withClaims({ [name]: value })), JSON.stringify(value)).toBe('token_claim_invalid');
  }
});

test('a token that ends before it begins is refused', async () => {
  expect(await codeOf(withClaims({ iat: NOW, exp: NOW }))).toBe('token_claim_invalid');
  expect(await codeOf(withClaims({ iat: NOW, exp: NOW - 1 }))).toBe('token_claim_invalid');
  expect(await codeOf(withClaims({ iat: NOW, exp: NOW + 1 }))).toBeUndefined();
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
    expect(await codeOf(twin, { keys: { findKey } })).toBe('token_malformed');
  }
  expect(findKey).not.toHaveBeenCalled();
});
