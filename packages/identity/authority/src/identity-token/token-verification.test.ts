import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { refusalCode } from '../../test/refusal.ts';
import { agentClaims, ISSUER, keySourceOf, makeIssuerKey, mintToken, NOW } from '../../test/token-issuer.ts';
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

test('the payload is hashed in the very bytes that were signed', async () => {
  const token = mintToken(key, agentClaims({ jti: 'one' }));
  const payload = Buffer.from(token.split('.')[1]!, 'base64url');
  const hex = createHash('sha256').update(payload).digest('hex');
  expect(Buffer.from((await verifyIdentityToken(token, trust, NOW)).payloadHash).toString('hex')).toBe(hex);
});

test('a token of another issuer names a person by a verified address, or a subject, and claims nothing', async () => {
  const login = 'https://login.example';
  const of: TokenTrust = { ...trust, issuers: [ISSUER, login], keys: keySourceOf([key], login) };
  const claims = {
    ...{ iss: login, sub: 'person 7', jti: undefined, agent_name: undefined },
    ...{ email: 'alice@example.com', email_verified: true },
  };
  const byAddress = { ...of, emailIssuers: [login] };
  const verified = (changes: Record<string, unknown>, trusted: TokenTrust) =>
    verifyIdentityToken(withClaims({ ...claims, ...changes }), trusted, NOW);
  const alice = { issuer: login, subject: 'alice@example.com', nameKind: 'email', claims: {} };
  expect(await verified({}, byAddress)).toMatchObject(alice);
  const build = { subject: 'https://ci.example/build', nameKind: 'uri', claims: {} };
  expect(await verified({ sub: build.subject }, of)).toMatchObject(build);
  // A token that counts once by its jti counts once by all of it where the jti is no text, or an empty one.
  const uses = await Promise.all(
    [undefined, '', 7, 'one'].map(async (jti) =>
      Buffer.from((await verified({ jti }, byAddress)).useKey).toString('hex'),
    ),
  );
  expect(new Set(uses).size).toBe(4);
  expect(await codeOf(withClaims({ ...claims, email_verified: 'true' }), byAddress)).toBe(
    'authority.token_email_unverified',
  );
  expect(await codeOf(withClaims({ ...claims, email: 'alice' }), byAddress)).toBe('authority.token_subject_invalid');
  const other = { ...byAddress, emailIssuers: ['https://other.example'] };
  expect(await codeOf(withClaims(claims), other)).toBe('authority.token_subject_invalid');
});

test('what is no refusal of a token is not taken for one', async () => {
  const broken = new Error('broken');
  const keys = { findKey: () => Promise.reject(broken) };
  await expect(verifyIdentityToken(mintToken(key), { ...trust, keys }, NOW)).rejects.toBe(broken);
});

test('what is wrong with a token keeps its name in the code', async () => {
  expect(await codeOf('no token')).toBe('authority.token_malformed');
  expect(await codeOf(undefined)).toBe('authority.token_missing');
  expect(await codeOf(withClaims({ iss: 'https://other.example' }))).toBe('authority.token_issuer_untrusted');
  expect(await codeOf(mintToken(makeIssuerKey('ES256', key.kid)))).toBe('authority.token_signature_invalid');
  expect(await codeOf(withClaims({ aud: 'other' }))).toBe('authority.token_audience_wrong');
  expect(await codeOf(mintToken(key), {}, NOW + 3600)).toBe('authority.token_expired');
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
