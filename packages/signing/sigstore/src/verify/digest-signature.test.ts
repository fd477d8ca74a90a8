import { constants, createHash, generateKeyPairSync, type KeyObject, privateEncrypt, sign } from 'node:crypto';
import type { Digest } from '@colophon/notation';
import { p256 } from '@noble/curves/nist.js';
import { expect, test } from 'vitest';
import { signEd25519ph } from '../ed25519ph/ed25519ph.ts';
import { digestsOfKey, verifiesDigests, verifyDigestSignature } from './digest-signature.ts';

type Pair = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
type Algorithm = Digest['algorithm'];

const MESSAGE = Buffer.from('artifact');
const digest = (algorithm: Algorithm, message: Uint8Array = MESSAGE): Digest => ({
  algorithm,
  hex: createHash(algorithm).update(message).digest('hex'),
});
const KINDS = ['P-256', 'P-384', 'P-521', 'rsa'] as const;
const makePair = (kind: string, bits = 2048): Pair => {
  if (kind === 'rsa') return generateKeyPairSync('rsa', { modulusLength: bits });
  return kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: kind });
};

const isValid = (
  { publicKey }: Pair,
  signature: Uint8Array,
  algorithm: Algorithm = 'sha256',
  over = digest(algorithm),
) => verifyDigestSignature(publicKey, over, signature);

test.each(KINDS)('signatures of a %s key over a digest are verified', (kind) => {
  const signer = makePair(kind);
  expect(verifiesDigests(signer.publicKey)).toBe(true);
  for (const algorithm of ['sha256', 'sha384', 'sha512'] as const) {
    // Several, so that both halves of the range of s occur.
    for (let i = 0; i < (kind === 'P-256' ? 8 : 1); i += 1) {
      const signature = sign(algorithm, MESSAGE, signer.privateKey);
      expect(isValid(signer, signature, algorithm)).toBe(true);
      expect(isValid(signer, signature, algorithm, digest(algorithm, Buffer.from('other')))).toBe(false);
    }
  }
});

test.each(KINDS)('another %s key, another digest algorithm, and damage are refused', (kind) => {
  const signer = makePair(kind);
  const signature = sign('sha256', MESSAGE, signer.privateKey);
  expect(isValid(makePair(kind), signature)).toBe(false);
  expect(isValid(signer, signature, 'sha384')).toBe(false);
  expect(isValid(signer, signature, 'sha512')).toBe(false);
  expect(isValid(signer, signature.subarray(0, -1))).toBe(false);
  expect(isValid(signer, Buffer.concat([signature, Buffer.of(0)]))).toBe(false);
  expect(isValid(signer, new Uint8Array())).toBe(false);
  expect(isValid(signer, Buffer.from('x'))).toBe(false);
  const damaged = Buffer.from(signature);
  damaged[damaged.length - 1]! ^= 1;
  expect(isValid(signer, damaged)).toBe(false);
});

test('an RSA signature with anything but the one DigestInfo is refused', () => {
  const signer = makePair('rsa');
  const forge = (content: Uint8Array) =>
    privateEncrypt({ key: signer.privateKey, padding: constants.RSA_PKCS1_PADDING }, content);
  const hash = Buffer.from(digest('sha256').hex, 'hex');
  const info = Buffer.concat([Buffer.from('3031300d060960864801650304020105000420', 'hex'), hash]);
  expect(isValid(signer, forge(info))).toBe(true);
  expect(isValid(signer, forge(hash))).toBe(false);
  expect(isValid(signer, forge(Buffer.concat([info, Buffer.of(0)])))).toBe(false);
  expect(isValid(signer, forge(info.subarray(0, -1)))).toBe(false);
});

test('a signature is verified whichever of its two spellings the signer chose, as node:crypto does', () => {
  const signer = makePair('P-256');
  const low = p256.Signature.fromBytes(sign('sha256', MESSAGE, signer.privateKey), 'der');
  const high = new p256.Signature(low.r, p256.Point.Fn.ORDER - low.s);
  expect(isValid(signer, low.toBytes('der'))).toBe(true);
  expect(isValid(signer, high.toBytes('der'))).toBe(true);
});

test('Ed25519 signs a SHA-512, as Ed25519ph, and no other digest', () => {
  const ed = makePair('ed25519');
  const signature = signEd25519ph(Buffer.from(digest('sha512').hex, 'hex'), ed.privateKey);
  expect(verifiesDigests(ed.publicKey, 'sha512')).toBe(true);
  expect(isValid(ed, signature, 'sha512')).toBe(true);
  expect(isValid(makePair('ed25519'), signature, 'sha512')).toBe(false);
  for (const algorithm of ['sha256', 'sha384'] as const) {
    const over = digest(algorithm);
    expect(isValid(ed, signEd25519ph(Buffer.from(over.hex, 'hex'), ed.privateKey), algorithm)).toBe(false);
  }
  expect(isValid(ed, sign(null, MESSAGE, ed.privateKey), 'sha512')).toBe(false);
});

test.each([
  ['P-256', ['sha256']],
  ['P-384', ['sha384', 'sha256']],
  ['P-521', ['sha512', 'sha256']],
  ['rsa', ['sha256']],
  ['ed25519', ['sha512', 'sha256']],
] as const)('a key of kind %s signs by %j', (kind, digests) => {
  expect(digestsOfKey(makePair(kind).publicKey)).toEqual(digests);
});

test('keys that sign no digests and other curves are refused', () => {
  const ed = makePair('ed25519');
  expect(verifiesDigests(ed.publicKey)).toBe(false);
  expect(isValid(ed, sign(null, MESSAGE, ed.privateKey))).toBe(false);
  const other = makePair('secp256k1');
  expect(isValid(other, sign('sha256', MESSAGE, other.privateKey))).toBe(false);
});
