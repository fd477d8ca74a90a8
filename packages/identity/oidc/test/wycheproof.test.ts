import { parseCompactJws } from '@colophon/encoding';
import { isJsonObject, parseStrictJson } from '@colophon/json';
import { expect, test } from 'vitest';
import { verifyCallerToken } from '../src/caller-token/caller-token.ts';
import { CALLER_ALGORITHMS, isOneOf, type Jwk, verifyTokenSignature } from '../src/token/token-key.ts';
import groups from '../vectors/wycheproof/json-web-signature.json' with { type: 'json' };
import { faultOf } from './refusal.ts';

type Case = { readonly tcId: number; readonly comment: string; readonly result: string; readonly jws: string };

const CASES = (groups as unknown as { comment: string; public: Jwk; tests: Case[] }[]).flatMap(
  ({ comment: group, public: key, tests }) => tests.map((one) => ({ group, key, ...one })),
);

/** The signature layer alone: these payloads are no claims, so that no whole token could be made of them. */
function isAccepted(jws: string, key: Jwk): boolean {
  const parts = parseCompactJws(jws, 16_384);
  if (!parts.ok) return false;
  const header = parseStrictJson(parts.value.header);
  if (!header.ok || !isJsonObject(header.value) || !isOneOf(CALLER_ALGORITHMS, header.value['alg'])) return false;
  try {
    verifyTokenSignature(key, header.value['alg'], parts.value);
    return true;
  } catch (error) {
    expect(faultOf(error)).toMatch(/^token_(algorithm_refused|signature_invalid)$/);
    return false;
  }
}

const invalid = CASES.filter(({ result }) => result === 'invalid');
const ours = CASES.filter(
  ({ result, key, jws }) =>
    result === 'valid' &&
    // The file writes ES521 for ES512. An empty payload is none of ours.
    ['RS256', 'ES256', 'ES521'].includes(key.alg ?? '') &&
    !jws.includes('..'),
);

test('the file has what it had', () => {
  expect([CASES.length, invalid.length, ours.length]).toEqual([361, 325, 11]);
});

test.each(invalid)('$tcId of $group is refused: $comment', ({ key, jws }) => {
  expect(isAccepted(jws, key)).toBe(false);
});

test.each(ours)('$tcId of $group is accepted: $comment', ({ key, jws }) => {
  expect(isAccepted(jws, withoutAlgorithm(key))).toBe(true);
  expect(isAccepted(jws, key)).toBe(key.alg !== 'ES521');
});

test('an algorithm that is not ours is refused, valid or not', () => {
  const others = CASES.filter(({ key }) => /^(RS384|RS512|PS\d+)$/.test(key.alg ?? ''));
  expect(others.length).toBeGreaterThan(80);
  expect(others.filter(({ key, jws }) => isAccepted(jws, key))).toEqual([]);
});

test('none of them is a caller’s token', async () => {
  for (const { key, jws } of CASES) {
    const issuer = { issuer: 'https://a.example', kind: 'oidc', audience: 'us', maxAgeSeconds: 60 } as const;
    const trusted = new Map([[issuer.issuer, { ...issuer, keys: { findKey: () => key } }]]);
    const fault = await verifyCallerToken(jws, trusted, 1).catch(faultOf);
    expect(fault).toMatch(/^token_(malformed|missing|algorithm_refused|issuer_untrusted)$/);
  }
});

function withoutAlgorithm({ alg: _, ...key }: Jwk): Jwk {
  return key;
}
