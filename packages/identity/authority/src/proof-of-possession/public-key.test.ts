import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { refusalCode } from '../../test/refusal.ts';
import { makeSigner } from '../../test/signer.ts';
import { checkKeyStrength, parsePublicKey } from './public-key.ts';

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return refusalCode(error);
  }
  return undefined;
}

const { pem, publicKey, privateKey } = makeSigner();
const der = publicKey.export({ type: 'spki', format: 'der' });
const same = (key: KeyObject) => key.equals(publicKey);

test('a public key comes as PEM or as DER', () => {
  expect(same(parsePublicKey(Buffer.from(pem)))).toBe(true);
  expect(same(parsePublicKey(Buffer.from(`\n ${pem}\n`)))).toBe(true);
  expect(same(parsePublicKey(new Uint8Array(der)))).toBe(true);
});

test.each([
  ['nothing', ''],
  ['text', 'hello'],
  ['a private key', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string],
  ['two keys', pem + pem],
  ['a key and other text', `${pem}x`],
  ['a label that is not a public key', pem.replaceAll('PUBLIC KEY', 'CERTIFICATE')],
  ['PEM without content', '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n'],
])('%s is not a public key', (_, content) => {
  expect(codeOf(() => parsePublicKey(Buffer.from(content)))).toBe('authority.public_key_invalid');
});

test('bytes after the key are refused', () => {
  expect(codeOf(() => parsePublicKey(Buffer.concat([der, Buffer.from([0])])))).toBe('authority.public_key_invalid');
});

test.each(['P-256', 'P-384', 'P-521', 'ed25519', 'rsa'] as const)('%s keys are strong enough', (kind) => {
  expect(codeOf(() => checkKeyStrength(makeSigner(kind).publicKey))).toBeUndefined();
});

test.each([
  ['RSA of 1024 bits', makeSigner('rsa', 1024).publicKey],
  ['RSA of 2047 bits', makeSigner('rsa', 2047).publicKey],
  ['RSA with exponent 3', generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).publicKey],
  ['secp256k1', makeSigner('secp256k1').publicKey],
  ['P-224', generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).publicKey],
  ['X25519', generateKeyPairSync('x25519').publicKey],
  ['RSA-PSS', generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey],
])('%s is refused', (_, key) => {
  expect(codeOf(() => checkKeyStrength(key))).toBe('authority.public_key_weak');
});

test('RSA keys are at most 4096 bits', () => {
  const of = (modulusLength: number) =>
    ({ asymmetricKeyType: 'rsa', asymmetricKeyDetails: { modulusLength, publicExponent: 65537n } }) as KeyObject;
  expect(codeOf(() => checkKeyStrength(of(4096)))).toBeUndefined();
  expect(codeOf(() => checkKeyStrength(of(4097)))).toBe('authority.public_key_weak');
  expect(codeOf(() => checkKeyStrength({ asymmetricKeyType: 'rsa' } as KeyObject))).toBe('authority.public_key_weak');
  expect(codeOf(() => checkKeyStrength({ asymmetricKeyType: 'ec' } as KeyObject))).toBe('authority.public_key_weak');
});
