import { generateKeyPairSync, randomBytes, scryptSync } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { expect, test } from 'vitest';
import { isCosignKey, openCosignKey, sealCosignKey } from './cosign-key.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function armor(json: object | string, label = 'ENCRYPTED SIGSTORE PRIVATE KEY'): string {
  const text = typeof json === 'string' ? json : JSON.stringify(json);
  const lines =
    Buffer.from(text)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function encrypted(password: string) {
  const [salt, nonce] = [randomBytes(32), randomBytes(24)];
  const secret = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 });
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    kdf: { name: 'scrypt', params: { N: 1024, r: 8, p: 1 }, salt: salt.toString('base64') },
    cipher: { name: 'nacl/secretbox', nonce: nonce.toString('base64') },
    ciphertext: Buffer.from(xsalsa20poly1305(secret, nonce).encrypt(der)).toString('base64'),
  };
}

test.each(['ENCRYPTED SIGSTORE PRIVATE KEY', 'ENCRYPTED COSIGN PRIVATE KEY'])('opens a key in %s armor', (label) => {
  const pem = armor(encrypted('correct'), label);
  expect(isCosignKey(pem)).toBe(true);
  expect(openCosignKey(pem, 'correct')?.equals(privateKey)).toBe(true);
});

test('what is sealed opens with its password alone, and is never sealed twice alike', () => {
  const sealed = sealCosignKey(privateKey, 'correct');
  expect(openCosignKey(sealed, 'correct')?.equals(privateKey)).toBe(true);
  expect(openCosignKey(sealed, 'wrong')).toBeUndefined();
  expect(openCosignKey(sealed, '')).toBeUndefined();
  expect(sealCosignKey(privateKey, 'correct')).not.toBe(sealed);
});

test('it is sealed with the parameters that cosign writes, and reads no others', () => {
  const [, base64 = ''] = /-----\n(.*)\n-----/s.exec(sealCosignKey(privateKey, '')) ?? [];
  const { kdf, cipher } = JSON.parse(Buffer.from(base64, 'base64').toString());
  expect(kdf).toMatchObject({ name: 'scrypt', params: { N: 65536, r: 8, p: 1 } });
  expect(cipher.name).toBe('nacl/secretbox');
  expect([kdf.salt, cipher.nonce].map((text) => Buffer.from(text, 'base64').length)).toEqual([32, 24]);
});

test('a key without a password opens with the empty one', () => {
  expect(openCosignKey(armor(encrypted('')), '')?.equals(privateKey)).toBe(true);
});

test('a PKCS #8 key is none of them', () => {
  expect(isCosignKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)).toBe(false);
});

/** Go's decoders (cosign) refuse all of these; Node's stops at the first `=`. */
test.each<[what: string, change: (pem: string) => string]>([
  ['more behind the padding', (pem) => pem.replace(/=*\n-----END/, '====\nbW9yZQ\n-----END')],
  ['another end', (pem) => pem.replace('END ENCRYPTED SIGSTORE PRIVATE KEY', 'END ENCRYPTED PRIVATE KEY')],
])('a file with %s opens nothing', (_what, change) => {
  expect(openCosignKey(change(armor(encrypted('correct'))), 'correct')).toBeUndefined();
});

test.each(['salt', 'nonce', 'ciphertext'] as const)('a file whose %s is no base64 opens nothing', (name) => {
  const file = encrypted('correct');
  const fields = { salt: file.kdf, nonce: file.cipher, ciphertext: file } as unknown as Record<
    string,
    Record<string, string>
  >;
  fields[name]![name] += '====';
  expect(openCosignKey(armor(file), 'correct')).toBeUndefined();
});

test('a key file of Windows opens, with white space around it', () => {
  const pem = `\n${armor(encrypted('correct'))}\n`.replaceAll('\n', '\r\n');
  expect(openCosignKey(pem, 'correct')?.equals(privateKey)).toBe(true);
});

test('a wrong password opens nothing', () => {
  expect(openCosignKey(armor(encrypted('correct')), 'wrong')).toBeUndefined();
});

test.each([
  ['no JSON', 'nothing'],
  ['another kdf', { ...encrypted('x'), kdf: { name: 'argon2' } }],
  ['another cipher', { ...encrypted('x'), cipher: { name: 'aes' } }],
  ['no parameters', { ...encrypted('x'), kdf: { name: 'scrypt', salt: '' } }],
  ['parameters that are no numbers', { ...encrypted('x'), kdf: { name: 'scrypt', params: { N: '1', r: 8, p: 1 } } }],
  [
    'parameters that ask for all memory',
    { ...encrypted('x'), kdf: { name: 'scrypt', params: { N: 2 ** 30, r: 8, p: 1 } } },
  ],
  ['no ciphertext', { ...encrypted('x'), ciphertext: null }],
])('a file with %s opens nothing', (_what, json) => {
  expect(openCosignKey(armor(json), 'x')).toBeUndefined();
});
