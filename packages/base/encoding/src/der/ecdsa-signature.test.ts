import { generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DerError } from './der-reader.ts';
import { derSequence, derUnsigned } from './der-writer.ts';
import { derEcdsaSignature, rawEcdsaSignature } from './ecdsa-signature.ts';

const DATA = Buffer.from('data');

test.each([
  ['P-256', 32],
  ['P-384', 48],
  ['P-521', 66],
] as const)('a signature on %s is the same in both forms, as OpenSSL has them', (namedCurve, width) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  for (let i = 0; i < 300; i += 1) {
    const der = sign('sha256', DATA, privateKey);
    const raw = rawEcdsaSignature(der, width);
    expect(verify('sha256', DATA, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw)).toBe(true);
    expect(Buffer.from(derEcdsaSignature(raw, width)!).equals(der)).toBe(true);
  }
});

test('leading zeros are kept in one form and left out in the other', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 32 }), fc.nat({ max: 63 }), (some, zeros) => {
      const raw = new Uint8Array(64).fill(some[0]!);
      raw.set(some, 32);
      raw.fill(0, 0, zeros);
      expect(rawEcdsaSignature(derEcdsaSignature(raw, 32)!, 32)).toEqual(raw);
    }),
  );
});

test('a signature of another length has no DER form', () => {
  for (const length of [0, 63, 65, 96]) expect(derEcdsaSignature(new Uint8Array(length), 32)).toBeUndefined();
});

test.each([
  ['one number', derSequence(derUnsigned(Uint8Array.of(1)))],
  ['three numbers', derSequence(...[1, 2, 3].map((digit) => derUnsigned(Uint8Array.of(digit))))],
  ['a number that is too long', derSequence(derUnsigned(new Uint8Array(33).fill(1)), derUnsigned(Uint8Array.of(1)))],
  ['something else than numbers', derSequence(derSequence(), derUnsigned(Uint8Array.of(1)))],
  ['nothing', new Uint8Array()],
])('%s is no signature', (_, der) => {
  expect(() => rawEcdsaSignature(der, 32)).toThrow(DerError);
});
