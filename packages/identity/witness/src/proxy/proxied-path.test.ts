import { expect, it } from 'vitest';
import { readProxiedPath } from './proxied-path.ts';

const token = 'A-_0'.repeat(10).concat('abc');

it.each([
  ['/v1/messages', '/v1/messages'],
  ['/v1/messages?beta=true', '/v1/messages?beta=true'],
  ['', '/'],
  ['?a=1', '/?a=1'],
  ['/', '/'],
  ['//', '//'],
  ['/a%20b/%C3%A4?x=%2F..%5C&y=/../', '/a%20b/%C3%A4?x=%2F..%5C&y=/../'],
  ['/v1/models/a:b@c/..x/x../...', '/v1/models/a:b@c/..x/x../...'],
  ['/v1/%252e%252e', '/v1/%252e%252e'],
  ['/a?b?c', '/a?b?c'],
])('the path %s there stays byte for byte', (path, rest) => {
  expect(readProxiedPath(`/${token}/anthropic${path}`)).toEqual({ token, slot: 'anthropic', rest });
});

it.each([
  '',
  '/',
  '*',
  'http://evil.example/',
  `http://evil.example/${token}/anthropic/v1/messages`,
  `//evil.example/${token}/anthropic/v1`,
  `/${token}`,
  `/${token}/`,
  `/${token}//v1/messages`,
  `/${token.slice(1)}/anthropic/v1`,
  `/${token}A/anthropic/v1`,
  `/${token.slice(1)}./anthropic/v1`,
  `/${token}/a b/v1`,
  `/${token}/${'a'.repeat(65)}/v1`,
  `/${token}/anthropic/v1#fragment`,
  `/${token}/anthropic/v1?query#fragment`,
])('%s is no path of an upstream', (target) => {
  expect(readProxiedPath(target)).toBeUndefined();
});

it.each([
  '/..',
  '/v1/..',
  '/v1/../admin',
  '/v1/.',
  '/v1/./messages',
  '/v1/%2e%2e/admin',
  '/v1/%2E%2e/admin',
  '/v1/.%2e/admin',
  '/v1/%2e./admin',
  '/v1/%2e/admin',
  '/v1/..;/admin',
  '/v1/..;a=b',
  '/v1%2fadmin',
  '/v1%2Fadmin',
  '/v1\\..\\admin',
  '/v1/%5c..%5C',
  '/v1/..?x',
])('the path %s may leave that of the upstream, and is refused', (path) => {
  expect(readProxiedPath(`/${token}/anthropic${path}`)).toBeUndefined();
});
