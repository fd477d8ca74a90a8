import { expect, test } from 'vitest';
import { parseSpiffeId } from './spiffe-id.ts';

test.each([
  ['spiffe://example.org/ns/ci/sa/agent', 'example.org', '/ns/ci/sa/agent'],
  ['spiffe://example.org', 'example.org', ''],
  ['spiffe://a_b-c.1/Upper.Case_and-dash/...', 'a_b-c.1', '/Upper.Case_and-dash/...'],
])('%j is read', (text, trustDomain, path) => {
  expect(parseSpiffeId(text)).toEqual({ trustDomain, path });
});

test.each([
  '',
  'spiffe://',
  'spiffe:///agent',
  'spiffe:/example.org/agent',
  'example.org/agent',
  'https://example.org/agent',
  'SPIFFE://example.org/agent',
  'spiffe://Example.org/agent',
  'spiffe://exämple.org/agent',
  'spiffe://example.org:443/agent',
  'spiffe://user@example.org/agent',
  'spiffe://example.org/',
  'spiffe://example.org/agent/',
  'spiffe://example.org//agent',
  'spiffe://example.org/./agent',
  'spiffe://example.org/../agent',
  'spiffe://example.org/agent/..',
  'spiffe://example.org/%61gent',
  'spiffe://example.org%2eevil/agent',
  'spiffe://example.org/agent?a=b',
  'spiffe://example.org/agent#a',
  'spiffe://example.org\\agent',
  'spiffe://example.org/agént',
  'spiffe://example.org/agent\n',
  ' spiffe://example.org/agent',
  'spiffe://example.org/agent\0',
  'spiffe://example.org/a:b',
])('%j is none', (text) => {
  expect(parseSpiffeId(text)).toBeUndefined();
});

test('an id has at most 2048 characters, and its trust domain 255', () => {
  const prefix = 'spiffe://example.org/';
  expect(parseSpiffeId(prefix + 'a'.repeat(2048 - prefix.length))).toBeDefined();
  expect(parseSpiffeId(prefix + 'a'.repeat(2049 - prefix.length))).toBeUndefined();
  expect(parseSpiffeId(`spiffe://${'a'.repeat(255)}/b`)).toBeDefined();
  expect(parseSpiffeId(`spiffe://${'a'.repeat(256)}/b`)).toBeUndefined();
});
