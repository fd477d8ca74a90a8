import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { Jwk, KeySource } from '@colophon/oidc';

/** Whose tokens these are. */
export const TOKEN_ISSUER = 'http://localhost:7080';
/** 2026-11-21T06:00:00Z */
export const TOKEN_TIME = 1_795_240_800;

export const fixedClock = { now: () => new Date(TOKEN_TIME * 1000) };

/** The algorithms that tokens are signed with. */
export type TokenAlg = 'RS256' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA';
export type IssuerKey = {
  readonly alg: TokenAlg;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Jwk;
};

const CURVES = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' } as const;
const DIGESTS = { RS256: 'sha256', ES256: 'sha256', ES384: 'sha384', ES512: 'sha512', EdDSA: null } as const;

export function makeIssuerKey(alg: TokenAlg = 'ES256', kid = `kid-${alg}`): IssuerKey {
  const { privateKey, publicKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : alg === 'EdDSA'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('ec', { namedCurve: CURVES[alg] });
  return { alg, kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

export function keySourceOf(keys: readonly IssuerKey[], issuer = TOKEN_ISSUER): KeySource {
  return { findKey: (of, kid) => (of === issuer ? keys.find((key) => key.kid === kid)?.jwk : undefined) };
}

export function agentClaims(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const claims: Record<string, unknown> = {
    iss: TOKEN_ISSUER,
    sub: 'agent:code-writer',
    aud: 'sigstore',
    iat: TOKEN_TIME,
    exp: TOKEN_TIME + 600,
    jti: randomUUID(),
    agent_name: 'code-writer',
    agent_version: '1.2.3',
    model_id: 'model-1',
    prompt_hash: `sha256:${'a'.repeat(64)}`,
    policy_pack_hash: `sha256:${'b'.repeat(64)}`,
    human_reviewer: 'reviewer@example.com',
    claim_sources: 'agent_name=declared',
    ...changes,
  };
  for (const [name, value] of Object.entries(claims)) if (value === undefined) delete claims[name];
  return claims;
}

export function encodeSegment(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

export function signInput(key: IssuerKey, input: string): string {
  return sign(DIGESTS[key.alg], Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString(
    'base64url',
  );
}

export function mintToken(
  key: IssuerKey,
  claims: Record<string, unknown> = agentClaims(),
  header: Record<string, unknown> = {},
): string {
  const input = `${encodeSegment({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header })}.${encodeSegment(claims)}`;
  return `${input}.${signInput(key, input)}`;
}
