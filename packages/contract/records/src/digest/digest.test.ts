import { describe, expect, it } from 'vitest';
import { digestOf } from './digest.ts';

describe('digestOf', () => {
  it('is SHA-256 of exactly the bytes (FIPS 180-4, "abc")', () => {
    expect(digestOf(new TextEncoder().encode('abc'))).toBe(
      'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(digestOf(new Uint8Array())).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});
