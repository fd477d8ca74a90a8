import { CLAIM_ARC_NUMBERS } from '@colophon/records';
import { expect, test } from 'vitest';
import { refusalCode } from '../../test/refusal.ts';
import { agentClaims, NOW } from '../../test/token-issuer.ts';
import { MAX_CLAIM_LENGTH, readCertificateClaims } from './token-claims.ts';

function codeOf(changes: Record<string, unknown>): string | undefined {
  try {
    readCertificateClaims(agentClaims(changes) as never, 'sigstore');
  } catch (error) {
    return refusalCode(error);
  }
  return undefined;
}

test('claims come out as text, times as decimal numbers, absent ones not at all', () => {
  const claims = readCertificateClaims(agentClaims({ jti: 'j', unmapped: { any: 'thing' } }) as never, 'sigstore');
  expect(claims).toMatchObject({
    sub: 'agent:code-writer',
    aud: 'sigstore',
    iat: String(NOW),
    exp: String(NOW + 600),
    jti: 'j',
  });
  expect(Object.keys(claims)).not.toContain('repo');
  expect(Object.keys(claims)).not.toContain('unmapped');
});

test('the audience is the one that was checked, however the token spells it', () => {
  expect(readCertificateClaims(agentClaims({ aud: ['sigstore'] }) as never, 'sigstore').aud).toBe('sigstore');
});

const texts = Object.keys(CLAIM_ARC_NUMBERS).filter((claim) => !['aud', 'exp', 'iat'].includes(claim));

test.each(texts)('%s is a plain, non-empty string or nothing', (claim) => {
  for (const value of [
    null,
    '',
    7,
    true,
    ['x'],
    { x: 1 },
    'a\nb',
    'a\u0000',
    'a\u007f',
    'a\u2028b',
    'a\u2029b',
    'a'.repeat(MAX_CLAIM_LENGTH + 1),
  ]) {
    expect(codeOf({ [claim]: value }), JSON.stringify(value)).toBe('authority.token_claim_invalid');
  }
  expect(codeOf({ [claim]: 'a'.repeat(MAX_CLAIM_LENGTH) })).toBeUndefined();
});

test('a time that is no whole number is refused', () => {
  expect(codeOf({ exp: 1.5 })).toBe('authority.token_claim_invalid');
  expect(codeOf({ iat: null })).toBe('authority.token_claim_invalid');
  expect(codeOf({ iat: [1] })).toBe('authority.token_claim_invalid');
});

test('a refusal names the claim and not its value', () => {
  const claims = agentClaims({ model_id: 'canary\n' }) as never;
  expect(() => readCertificateClaims(claims, 'sigstore')).toThrow(/^(?!.*canary).*model_id/);
});
