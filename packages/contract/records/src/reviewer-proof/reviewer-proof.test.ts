import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { formatReviewerProof, parseReviewerProof, reviewerMac } from './reviewer-proof.ts';

const INPUT = {
  secret: 'a secret of some length',
  issuer: 'http://localhost:7080',
  body: new TextEncoder().encode('{"purpose":"review"}'),
  issuedAt: 1_795_000_000_123,
  nonce: '0123456789abcdef0123456789abcdef',
};

test('the mac is the HMAC of everything that the proof is about', () => {
  const text = `Colophon-Reviewer\n${INPUT.issuer}\n${INPUT.issuedAt}\n${INPUT.nonce}\n${createHash('sha256').update(INPUT.body).digest('hex')}`;
  expect(reviewerMac(INPUT)).toBe(createHmac('sha256', INPUT.secret).update(text).digest('hex'));
});

test('another secret, issuer, body, time or nonce is another mac', () => {
  const others = [
    { ...INPUT, secret: 'another secret' },
    { ...INPUT, issuer: 'http://localhost:7081' },
    { ...INPUT, body: new Uint8Array() },
    { ...INPUT, issuedAt: INPUT.issuedAt + 1 },
    { ...INPUT, nonce: 'f'.repeat(32) },
  ].map(reviewerMac);
  expect(new Set([...others, reviewerMac(INPUT)]).size).toBe(6);
});

test('a header is read back, and does not hold the secret', () => {
  const header = formatReviewerProof(INPUT);
  expect(parseReviewerProof(header)).toEqual({ issuedAt: INPUT.issuedAt, nonce: INPUT.nonce, mac: reviewerMac(INPUT) });
  expect(header).not.toContain(INPUT.secret);
});

test.each([
  '',
  'Bearer x',
  formatReviewerProof(INPUT).toUpperCase(),
  `${formatReviewerProof(INPUT)} `,
  ` ${formatReviewerProof(INPUT)}`,
  formatReviewerProof(INPUT).slice(0, -1),
  formatReviewerProof({ ...INPUT, nonce: 'f' }),
  formatReviewerProof({ ...INPUT, issuedAt: -1 }),
  formatReviewerProof({ ...INPUT, issuedAt: 1.5 }),
])('%j is no proof', (header) => {
  expect(parseReviewerProof(header)).toBeUndefined();
});
