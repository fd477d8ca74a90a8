import { expect, test } from 'vitest';
import { FULCIO_ARC } from '../certificate-identity/certificate-identity.ts';
import { isClaimArc, isPredicateBase, PLACEHOLDER_NAMESPACE } from './namespace.ts';

test('the placeholders are names that could be set', () => {
  expect(isPredicateBase(PLACEHOLDER_NAMESPACE.predicateBase)).toBe(true);
  expect(isClaimArc(PLACEHOLDER_NAMESPACE.claimArc)).toBe(true);
});

test.each(['https://acme.example', 'https://acme.example/p', 'https://acme.example:8443/a/b'])('base %s', (base) => {
  expect(isPredicateBase(base)).toBe(true);
});

test.each([
  '',
  'acme.example/p',
  '/p',
  'http://acme.example/p',
  'https://acme.example/',
  'https://acme.example/p/',
  'https://acme.example/p?',
  'https://acme.example/p?a=b',
  'https://acme.example/p#',
  'https://u@acme.example/p',
  'https://u:p@acme.example/p',
  'https://ACME.example/p',
  'https://acme.example/a/../p',
  'https://acme.example:443/p',
  ' https://acme.example/p',
  'https://acme.example/a b',
  'https://acme.example/ä',
  `https://acme.example/${'p'.repeat(600)}`,
])('no base: %s', (base) => {
  expect(isPredicateBase(base)).toBe(false);
});

test.each(['1.3.6.1.4.1.99999.1', '2.999.1', '1.2.840.113549.7', '2.25.2147483647', '0.39.1'])('arc %s', (arc) => {
  expect(isClaimArc(arc)).toBe(true);
});

test.each([
  '',
  '1',
  '1.3',
  '3.1.1',
  '1.40.1',
  '1.3.06.1',
  '1.3.6.',
  '.1.3.6',
  '1..3',
  '1.3.6.1.4.1.2147483648',
  '2.25.329800735698586629295641978511506172918',
  '1.3.6.1.4.1.-1',
  'urn:oid:1.3.6.1',
  `1.3${'.1'.repeat(100)}`,
])('no arc: %s', (arc) => {
  expect(isClaimArc(arc)).toBe(false);
});

// What an authority of somebody else writes there would be read as a claim.
test.each([FULCIO_ARC, `${FULCIO_ARC}.9`, '1.3.6.1.4.1.57264', '1.3.6.1.4.1', '2.5.29', '2.5.29.17', '1.3.6.1.5.5.7'])(
  'an arc with the extensions of others is none: %s',
  (arc) => {
    expect(isClaimArc(arc)).toBe(false);
  },
);
