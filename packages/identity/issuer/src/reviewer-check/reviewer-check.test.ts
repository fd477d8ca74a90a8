import { formatReviewerProof } from '@colophon/records';
import { expect, test } from 'vitest';
import { createReviewerCheck, REVIEWER_PROOF_LIFETIME_MS } from './reviewer-check.ts';

const BODY = new TextEncoder().encode('{"purpose":"review"}');
const START = 1_795_000_000_000;

function setUp() {
  let time = START;
  const known = { secret: 'the secret of the reviewers', issuer: 'http://localhost:7080' };
  const check = createReviewerCheck({ ...known, now: () => time });
  let count = 0;
  const proof = (changes: object = {}) => {
    count += 1;
    const nonce = count.toString(16).padStart(32, '0');
    return formatReviewerProof({ ...known, body: BODY, issuedAt: time, nonce, ...changes });
  };
  return { check, proof, sleep: (ms: number) => (time += ms) };
}

test('who knows the secret is a reviewer, once for each proof', () => {
  const { check, proof } = setUp();
  const first = proof();
  expect(check(first, BODY)).toBe(true);
  expect(check(first, BODY)).toBe(false);
  expect(check(proof(), BODY)).toBe(true);
});

test.each([
  ['nothing', undefined],
  ['an empty header', ''],
  ['the secret itself', 'Bearer the secret of the reviewers'],
])('%s is no proof', (_what, header) => {
  expect(setUp().check(header, BODY)).toBe(false);
});

test('a proof by another secret, for another issuer or for another body does not count', () => {
  const { check, proof } = setUp();
  expect(check(proof({ secret: 'another secret' }), BODY)).toBe(false);
  expect(check(proof({ issuer: 'http://localhost:7081' }), BODY)).toBe(false);
  expect(check(proof(), new Uint8Array())).toBe(false);
});

test('a refused proof does not use up its nonce', () => {
  const { check, proof } = setUp();
  const nonce = 'a'.repeat(32);
  expect(check(proof({ nonce, secret: 'another secret' }), BODY)).toBe(false);
  expect(check(proof({ nonce }), BODY)).toBe(true);
});

test('a proof counts for a minute, either way', () => {
  const { check, proof, sleep } = setUp();
  sleep(10 * REVIEWER_PROOF_LIFETIME_MS);
  const made = [proof(), proof()] as const;
  sleep(REVIEWER_PROOF_LIFETIME_MS);
  expect(check(made[0], BODY)).toBe(true);
  sleep(1);
  expect(check(made[1], BODY)).toBe(false);
  const now = START + 11 * REVIEWER_PROOF_LIFETIME_MS + 1;
  expect(check(proof({ issuedAt: now + REVIEWER_PROOF_LIFETIME_MS }), BODY)).toBe(true);
  expect(check(proof({ issuedAt: now + REVIEWER_PROOF_LIFETIME_MS + 1 }), BODY)).toBe(false);
});

test('a proof from before the start does not count, since nobody remembers whether it was used', () => {
  const { check, proof } = setUp();
  expect(check(proof({ issuedAt: START - 1 }), BODY)).toBe(false);
  expect(check(proof({ issuedAt: START }), BODY)).toBe(true);
});

test('a used proof stays used for as long as it could count', () => {
  const { check, proof, sleep } = setUp();
  const ahead = proof({ issuedAt: START + REVIEWER_PROOF_LIFETIME_MS });
  expect(check(ahead, BODY)).toBe(true);
  sleep(2 * REVIEWER_PROOF_LIFETIME_MS);
  expect(check(proof(), BODY)).toBe(true);
  expect(check(ahead, BODY)).toBe(false);
});
