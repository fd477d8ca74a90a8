import { constants, createHash, privateEncrypt, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeSigner, type Signer } from '../../test/signer.ts';
import { type DigestAlgorithm, verifyDigestSignature } from './digest-signature.ts';

const MESSAGE = Buffer.from('artifact');
const digest = (algorithm: string, message: Uint8Array = MESSAGE) =>
  new Uint8Array(createHash(algorithm).update(message).digest());

const isValid = (
  signer: Signer,
  signature: Uint8Array,
  algorithm: DigestAlgorithm = 'sha256',
  over = digest(algorithm),
) => verifyDigestSignature({ key: signer.publicKey, algorithm, digest: over, signature });

test.each(['P-256', 'P-384', 'P-521', 'rsa'] as const)('signatures of a %s key over a digest are verified', (kind) => {
  const signer = makeSigner(kind);
  for (const algorithm of ['sha256', 'sha384', 'sha512'] as const) {
    // Several, so that both halves of the range of s occur.
    for (let i = 0; i < (kind === 'P-256' ? 8 : 1); i += 1) {
      const signature = sign(algorithm, MESSAGE, signer.privateKey);
      expect(isValid(signer, signature, algorithm)).toBe(true);
      expect(isValid(signer, signature, algorithm, digest(algorithm, Buffer.from('other')))).toBe(false);
    }
  }
});

test.each(['P-256', 'P-384', 'P-521', 'rsa'] as const)(
  'another %s key, another digest algorithm, and damage are refused',
  (kind) => {
    const signer = makeSigner(kind);
    const signature = sign('sha256', MESSAGE, signer.privateKey);
    expect(isValid(makeSigner(kind), signature)).toBe(false);
    expect(isValid(signer, signature, 'sha384')).toBe(false);
    expect(isValid(signer, signature, 'sha256', digest('sha384'))).toBe(false);
    expect(isValid(signer, signature.subarray(0, -1))).toBe(false);
    expect(isValid(signer, Buffer.concat([signature, Buffer.of(0)]))).toBe(false);
    expect(isValid(signer, new Uint8Array())).toBe(false);
    const damaged = Buffer.from(signature);
    damaged[damaged.length - 1]! ^= 1;
    expect(isValid(signer, damaged)).toBe(false);
  },
);

test('an RSA signature with anything but the one DigestInfo is refused', () => {
  const signer = makeSigner('rsa');
  const forge = (content: Uint8Array) =>
    privateEncrypt({ key: signer.privateKey, padding: constants.RSA_PKCS1_PADDING }, content);
  const info = Buffer.concat([Buffer.from('3031300d060960864801650304020105000420', 'hex'), digest('sha256')]);
  expect(isValid(signer, forge(info))).toBe(true);
  expect(isValid(signer, forge(digest('sha256')))).toBe(false);
  expect(isValid(signer, forge(Buffer.concat([info, Buffer.of(0)])))).toBe(false);
  expect(isValid(signer, forge(info.subarray(0, -1)))).toBe(false);
});

test('keys that sign no digests, other curves and small RSA keys are refused', () => {
  const ed = makeSigner('ed25519');
  expect(isValid(ed, sign(null, MESSAGE, ed.privateKey))).toBe(false);
  for (const signer of [makeSigner('secp256k1'), makeSigner('rsa', 1024)]) {
    expect(isValid(signer, sign('sha256', MESSAGE, signer.privateKey))).toBe(false);
  }
});
