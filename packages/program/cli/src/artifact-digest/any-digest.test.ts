import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseAnyDigest } from './any-digest.ts';

const of = (algorithm: string, encoding: 'hex' | 'base64') => createHash(algorithm).update('report').digest(encoding);
const HEX = of('sha256', 'hex');
const BASE64 = of('sha256', 'base64');

test.each([
  [HEX, 'sha256'],
  [HEX.toUpperCase(), 'sha256'],
  [`sha256:${HEX}`, 'sha256'],
  [`SHA256:${HEX.toUpperCase()}`, 'sha256'],
  [BASE64, 'sha256'],
  [`sha256-${BASE64}`, 'sha256'],
  [`sha256-${BASE64}?ct=text/plain`, 'sha256'],
  [`localhost:7080/shop@sha256:${HEX}`, 'sha256'],
  [`my-shop:1.0@sha256:${HEX}`, 'sha256'],
  [of('sha1', 'hex'), 'sha1'],
  [`sha1:${of('sha1', 'hex')}`, 'sha1'],
  [`sha1-${of('sha1', 'base64')}`, 'sha1'],
  [`sha384-${of('sha384', 'base64')}`, 'sha384'],
  [of('sha512', 'hex'), 'sha512'],
  [`sha512:${of('sha512', 'hex')}`, 'sha512'],
  [of('sha512', 'base64'), 'sha512'],
  [`sha512-${of('sha512', 'base64')}`, 'sha512'],
])('%s is a digest by %s', (text, algorithm) => {
  expect(parseAnyDigest(text)).toBe(`${algorithm}:${of(algorithm, 'hex')}`);
});

test.each([
  '',
  'report.txt',
  'sha256:',
  `sha256:${HEX}0`,
  `sha512:${HEX}`,
  `md5:${HEX}`,
  `sha512-${BASE64}`,
  `sha256-${BASE64.slice(0, -1)}`,
  `sha256-${HEX}`,
  `${HEX}\n`,
  ` ${HEX}`,
  `junk sha256-${BASE64}`,
  'localhost:7080/shop:1.0',
  `shop@sha512:${of('sha512', 'hex')}`,
])('%j is none', (text) => {
  expect(parseAnyDigest(text)).toBeUndefined();
});
