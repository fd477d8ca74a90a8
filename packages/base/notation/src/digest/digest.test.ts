import { describe, expect, it } from 'vitest';
import { isSha256Hex, parseDigest, parseHexDigest, parseSha256, SHA256_HEX_PATTERN, SHA256_PATTERN } from './digest.ts';

const hex = '0123456789abcdef'.repeat(4);

describe('parseSha256', () => {
  it.each([
    ['bare hex', hex],
    ['prefixed hex', `sha256:${hex}`],
    ['upper case', hex.toUpperCase()],
    ['prefixed upper case', `sha256:${hex.toUpperCase()}`],
  ])('reads %s and writes it prefixed and lower case', (_title, text) => {
    expect(parseSha256(text)).toBe(`sha256:${hex}`);
    expect(parseSha256(text)).toMatch(new RegExp(SHA256_PATTERN));
  });

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'sha256:'],
    ['a digit too few', hex.slice(1)],
    ['a digit too many', `${hex}0`],
    ['no hex', `${hex.slice(1)}g`],
    ['another algorithm', `sha512:${hex}`],
    ['the prefix in upper case', `SHA256:${hex}`],
    ['the prefix twice', `sha256:sha256:${hex}`],
    ['something before it', `x${hex}`],
    ['a newline after it', `${hex}\n`],
    ['a space before it', ` ${hex}`],
    ['0x before it', `0x${hex.slice(2)}`],
  ])('refuses %s', (_title, text) => {
    expect(parseSha256(text)).toBeUndefined();
  });
});

describe('parseDigest', () => {
  it.each([
    ['sha256', 64],
    ['sha384', 96],
    ['sha512', 128],
  ])('reads %s with %i digits and no other number', (algorithm, length) => {
    expect(parseDigest(`${algorithm}:${'a'.repeat(length)}`)).toEqual({ algorithm, hex: 'a'.repeat(length) });
    for (const other of [0, length - 1, length + 1, 64 + 96 + 128 - length]) {
      expect(parseDigest(`${algorithm}:${'a'.repeat(other)}`)).toBeUndefined();
    }
  });

  it.each([
    ['bare hex', hex],
    ['capitals', `sha256:${hex.toUpperCase()}`],
    ['a capital algorithm', `SHA256:${hex}`],
    ['another algorithm', `md5:${'a'.repeat(32)}`],
    ['a name of every object', `constructor:${hex}`],
    ['a newline after it', `sha256:${hex}\n`],
    ['something before it', `xsha256:${hex}`],
    ['another separator', `sha256-${hex}`],
  ])('refuses %s', (_title, text) => {
    expect(parseDigest(text)).toBeUndefined();
  });
});

it('has patterns for schemas that agree with the parser', () => {
  for (const text of [hex, hex.slice(1), `${hex}0`, hex.toUpperCase(), `${hex}\n`, `sha256:${hex}`, '']) {
    expect(new RegExp(SHA256_HEX_PATTERN).test(text), text).toBe(isSha256Hex(text));
    expect(new RegExp(SHA256_PATTERN).test(text), text).toBe(parseDigest(text) !== undefined);
  }
});

describe('parseHexDigest', () => {
  it.each([
    ['sha1', 40],
    ['sha256', 64],
    ['sha384', 96],
    ['sha512', 128],
  ])('tells %s by its %i digits, and checks a name by them', (algorithm, length) => {
    const digits = 'a'.repeat(length);
    expect(parseHexDigest(digits)).toEqual({ algorithm, hex: digits });
    expect(parseHexDigest(`${algorithm}:${digits}`)).toEqual({ algorithm, hex: digits });
    for (const text of [`${digits}a`, `md5:${digits}`, `sha2:${digits}`, digits.toUpperCase(), `:${digits}`])
      expect(parseHexDigest(text)).toBeUndefined();
  });
});
