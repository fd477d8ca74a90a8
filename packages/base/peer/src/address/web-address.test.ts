import { expect, test } from 'vitest';
import { isLoopback, shownAddress, underBase } from './web-address.ts';

test.each([
  ['http://localhost:1', true],
  ['http://127.0.0.1', true],
  ['http://127.9.9.9:8', true],
  ['http://[::1]:1', true],
  ['http://localhost.example', false],
  ['http://127.0.0.1.example', false],
  ['https://issuer.example', false],
  ['http://10.0.0.1', false],
])('%s is this machine: %s', (url, expected) => {
  expect(isLoopback(url)).toBe(expected);
});

test('an address is shown without login, query and fragment', () => {
  expect(shownAddress('https://me:pw@a.example:8443/x?token=1#y')).toBe('https://a.example:8443/x');
  expect(shownAddress('no address')).toBe('a URL that cannot be read');
});

test.each(['https://a.example/fulcio', 'https://a.example/fulcio//'])('a path goes under %s', (base) => {
  expect(underBase(base, '/api/v2')).toBe('https://a.example/fulcio/api/v2');
});
