import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { LONGEST_EXPONENT, rsaKeyOf } from '../../test/rsa-key.ts';
import { isCertifiableKey } from './certifiable-key.ts';

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey;

test.each([
  ['P-256', ec('P-256')],
  ['P-384', ec('P-384')],
  ['P-521', ec('P-521')],
  ['Ed25519', generateKeyPairSync('ed25519').publicKey],
  ['RSA of 2048 bits', rsaKeyOf(2048, 65537n)],
  ['RSA of 3072 bits', rsaKeyOf(3072, 65537n)],
  ['RSA of 4096 bits', rsaKeyOf(4096, 65537n)],
  ['RSA with the least exponent', rsaKeyOf(2048, 3n)],
  ['RSA with the greatest exponent', rsaKeyOf(2048, 2n ** 31n - 1n)],
])('authorities certify %s', (_, key) => {
  expect(isCertifiableKey(key)).toBe(true);
});

test.each([
  ['RSA of 2040 bits', rsaKeyOf(2040, 65537n)],
  ['RSA of 4104 bits', rsaKeyOf(4104, 65537n)],
  ['RSA with exponent 1', rsaKeyOf(2048, 1n)],
  ['RSA with an even exponent', rsaKeyOf(2048, 65536n)],
  ['RSA with an exponent of 32 bits', rsaKeyOf(2048, 2n ** 31n + 1n)],
  ['RSA with the longest exponent', rsaKeyOf(3072, LONGEST_EXPONENT)],
  ['RSA-PSS', generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey],
  ['secp256k1', ec('secp256k1')],
  ['P-224', ec('secp224r1')],
  ['Brainpool', ec('brainpoolP512r1')],
  ['Ed448', generateKeyPairSync('ed448').publicKey],
  ['X25519', generateKeyPairSync('x25519').publicKey],
  ['ML-DSA', generateKeyPairSync('ml-dsa-44').publicKey],
])('no authority certifies %s', (_, key) => {
  expect(isCertifiableKey(key)).toBe(false);
});

test('a key of which nothing is known is none of them', () => {
  for (const asymmetricKeyType of ['rsa', 'ec'] as const) {
    expect(isCertifiableKey({ asymmetricKeyType } as never)).toBe(false);
  }
});

test('who takes bare keys may take RSA of more bits, with no longer exponent', () => {
  expect(isCertifiableKey(rsaKeyOf(8192, 65537n), 8192)).toBe(true);
  expect(isCertifiableKey(rsaKeyOf(8200, 65537n), 8192)).toBe(false);
  expect(isCertifiableKey(rsaKeyOf(8192, 2n ** 31n + 1n), 8192)).toBe(false);
});
