import { describe, expect, it } from 'vitest';
import { DIGEST_PATTERN, digestOf, parseDigest } from './digest.ts';

const hex = '0123456789abcdef'.repeat(4);

describe('parseDigest', () => {
  it.each([
    ['bare hex', hex],
    ['prefixed hex', `sha256:${hex}`],
    ['upper case', hex.toUpperCase()],
    ['prefixed upper case', `sha256:${hex.toUpperCase()}`],
  ])('reads %s and writes it prefixed and lower case', (_title, text) => {
    expect(parseDigest(text)).toBe(`sha256:${hex}`);
    expect(parseDigest(text)).toMatch(new RegExp(DIGEST_PATTERN));
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
    expect(parseDigest(text)).toBeUndefined();
  });
});

describe('digestOf', () => {
  it('is SHA-256 of exactly the bytes (FIPS 180-4, "abc")', () => {
    expect(digestOf(new TextEncoder().encode('abc'))).toBe(
      'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(digestOf(new Uint8Array())).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});
