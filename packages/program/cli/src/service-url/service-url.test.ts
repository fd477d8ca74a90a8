import { expect, test } from 'vitest';
import { isServiceUrl, parseServiceUrl } from './service-url.ts';

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
