import { type Caller, compileCallers, compileRegistry, FORGE_CLAIMS } from '@colophon/issuance';
import { type KeySource, TokenRefused } from '@colophon/oidc';
import type { ApiKeyRow } from '@colophon/store';
import { makeIssuerKey, mintToken, TOKEN_TIME } from '@colophon/testkit';
import { describe, expect, it } from 'vitest';
import { createApiKey } from '../api-key/api-key.ts';
import { type CallerRecords, checkCaller } from './caller-check.ts';
import type { IssuingRules } from './issuing-rules.ts';

const US = 'https://agents.example.com';
const FORGE = 'https://forge.example';
const key = makeIssuerKey('ES256', 'forge-key');
const { id, text, secretHash } = createApiKey((length) => new Uint8Array(length).fill(11));

const row: ApiKeyRow = {
  key_id: id,
  caller: 'builder',
  secret_hash: secretHash,
  created_at: TOKEN_TIME - 60,
  expires_at: TOKEN_TIME + 60,
  revoked_at: null,
  last_used_at: null,
};

function rulesOf({ singleUse = true, keys = { findKey: () => key.jwk } as KeySource } = {}): IssuingRules {
  const may = { agents: ['code-writer'] };
  const token = {
    kind: 'github',
    issuer: FORGE,
    where: [{ path: ['repository_id'], values: ['42'] }],
    singleUse,
    confirms: FORGE_CLAIMS.github,
  } as const;
  const callers: Caller[] = [
    { name: 'builder', apiKey: true, may },
    { name: 'actions', apiKey: false, may, token },
  ];
  const issuer = { issuer: FORGE, kind: 'oidc', audience: US, keys, maxAgeSeconds: 3_600 } as const;
  return {
    hash: 'sha256:0',
    asksCallers: true,
    callers: compileCallers(callers),
    trustedIssuers: new Map([[FORGE, issuer]]),
    registry: compileRegistry({}),
    requiredClaims: [],
    requiredSources: {},
  };
}

function records(keyChanges: Partial<ApiKeyRow> = {}, revoked: readonly string[] = []): CallerRecords {
  return {
    findKey: (asked) => (asked === id ? { ...row, ...keyChanges } : undefined),
    isRevoked: (caller) => revoked.includes(caller),
  };
}

const job = (claims: object = {}) =>
  mintToken(key, {
    iss: FORGE,
    aud: US,
    sub: 'job',
    jti: 'j-1',
    iat: TOKEN_TIME - 5,
    exp: TOKEN_TIME + 300,
    repository_id: '42',
    repository: 'acme/shop',
    event_name: 'push',
    ...claims,
  });

const check = (credential: string, rules = rulesOf(), known = records()) =>
  checkCaller({ authorizations: [`Bearer ${credential}`] }, rules, known, TOKEN_TIME);

describe('an API key', () => {
  it('proves whose it is, counts many times, and is named by its id', async () => {
    expect(await check(text)).toEqual({
      caller: expect.objectContaining({ name: 'builder' }),
      evidence: [],
      trigger: undefined,
      credential: { kind: 'api-key', key_id: id },
      use: undefined,
      keyId: id,
    });
  });

  it.each<[string, string, CallerRecords]>([
    ['caller.api_key_malformed', text.slice(0, -1), records()],
    ['caller.api_key_unknown', text, { ...records(), findKey: () => undefined }],
    ['caller.api_key_expired', text, records({ expires_at: TOKEN_TIME })],
    ['caller.api_key_revoked', text, records({ revoked_at: TOKEN_TIME })],
    ['caller.revoked', text, records({}, ['builder'])],
    ['caller.unknown', text, records({ caller: 'actions' })],
  ])('is refused with %s, in words without any of it', async (code, credential, known) => {
    const refusal = await check(credential, undefined, known).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'RefusedCredential', code, message: expect.stringMatching(/\w/) });
    expect(refusal).toMatchObject({ kind: 'api-key' });
    expect(String(refusal)).not.toContain(id);
  });
});

describe('a token', () => {
  it('proves its caller and what it confirms, and is remembered as long as any clock accepts it', async () => {
    expect(await check(job())).toEqual({
      caller: expect.objectContaining({ name: 'actions' }),
      evidence: [{ source: 'caller-token', claims: { repo: 'acme/shop' } }],
      trigger: 'push',
      credential: { kind: 'token', issuer: FORGE, jti: 'j-1' },
      use: { tokenKey: expect.any(Uint8Array), now: TOKEN_TIME, forgetAt: TOKEN_TIME + 300 + 30 + 60 },
      keyId: undefined,
    });
  });

  it('counts many times where its caller’s entry says so', async () => {
    expect((await check(job(), rulesOf({ singleUse: false }))).use).toBeUndefined();
  });

  it.each([
    ['without an identifier', undefined],
    ['with an identifier of 257 characters', 'j'.repeat(257)],
  ])('%s is named by the hash of what is signed', async (_what, jti) => {
    const { credential } = await check(job({ jti }));
    expect(credential).toEqual({
      kind: 'token',
      issuer: FORGE,
      token_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('with an identifier of 256 characters is named by it', async () => {
    expect((await check(job({ jti: 'j'.repeat(256) }))).credential).toMatchObject({ jti: 'j'.repeat(256) });
  });

  it('of a revoked caller is refused, and the caller named', async () => {
    await expect(check(job(), undefined, records({}, ['actions']))).rejects.toMatchObject({
      code: 'caller.revoked',
      caller: 'actions',
      message: expect.stringMatching(/\w/),
    });
  });

  it.each([
    ['caller.token_expired', job({ iat: TOKEN_TIME - 500, exp: TOKEN_TIME - 300 })],
    ['caller.token_issuer_untrusted', job({ iss: 'https://evil.example' })],
    ['caller.unknown', job({ repository_id: '43' })],
    ['caller.event_refused', job({ event_name: 'workflow_run' })],
  ])('is refused with %s', async (code, token) => {
    const refusal = await check(token).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'RefusedCredential', code, caller: undefined, kind: 'token' });
  });

  it('whose keys cannot be had is refused, with the cause for the log', async () => {
    const cause = new Error('no route');
    const findKey = () => {
      throw new TokenRefused('issuer_unreachable', 'the issuer could not be reached', { cause });
    };
    const refusal = await check(job(), rulesOf({ keys: { findKey } })).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'caller.issuer_unreachable', kind: 'token', cause });
  });

  it('passes on what nobody expected as it is', async () => {
    const findKey = () => {
      throw new RangeError('a bug');
    };
    const error = await check(job(), rulesOf({ keys: { findKey } })).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).not.toHaveProperty('kind');
  });
});
