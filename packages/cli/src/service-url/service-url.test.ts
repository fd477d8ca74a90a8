import { expect, test } from 'vitest';
import { isLoopbackUrl, isServiceUrl, parseServiceUrl } from './service-url.ts';

test.each([
  'http://localhost:7080',
  'https://issuer.example',
  'https://a.example/path/',
  'HTTPS://A.example',
  'http://[::1]:1',
])('%s is the address of a service', (url) => {
  expect(isServiceUrl(url)).toBe(true);
  expect(parseServiceUrl(url)).toBe(url);
});

test.each([
  '',
  ' ',
  'localhost:7080',
  'issuer.example',
  '//issuer.example',
  'http:issuer.example',
  'http:///path',
  'http://',
  'ftp://a.example',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'https://user@a.example',
  'https://:pw@a.example',
  'https://a.example?x',
  'https://a.example#x',
  'https://a.example\n',
  'https://a example',
])('%j is none', (url) => {
  expect(isServiceUrl(url)).toBe(false);
  expect(() => parseServiceUrl(url)).toThrow(expect.objectContaining({ code: 'commander.invalidArgument' }));
});

test.each([
  ['http://localhost:1', true],
  ['http://127.0.0.1', true],
  ['http://127.9.9.9:8', true],
  ['http://[::1]:1', true],
  ['http://localhost.example', false],
  ['http://127.0.0.1.example', false],
  ['https://issuer.example', false],
  ['http://10.0.0.1', false],
])('%s is this machine: %s', (url, isLoopback) => {
  expect(isLoopbackUrl(url)).toBe(isLoopback);
});
