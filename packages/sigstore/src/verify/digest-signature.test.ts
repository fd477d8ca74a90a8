import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { describe, expect, it } from 'vitest';
import { verifiesDigests, verifyDigest } from './digest-signature.ts';

const TEXT = Buffer.from('text');
const DIGEST = createHash('sha256').update(TEXT).digest();
const PAIRS: readonly (readonly [string, { privateKey: KeyObject; publicKey: KeyObject }])[] = [
  ['P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ['P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
  ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 })],
];

describe('a signature over a digest', () => {
  it.each(PAIRS)('by %s is that over the text, and over no other', (_name, { privateKey, publicKey }) => {
    const signature = sign('sha256', TEXT, privateKey);
    expect(verifiesDigests(publicKey)).toBe(true);
    expect(verifyDigest(DIGEST, publicKey, signature)).toBe(true);
    expect(verifyDigest(Buffer.alloc(32), publicKey, signature)).toBe(false);
    expect(verifyDigest(DIGEST, publicKey, Buffer.from('x'))).toBe(false);
    expect(verifyDigest(DIGEST, publicKey, sign('sha256', Buffer.from('x'), privateKey))).toBe(false);
  });

  it('is verified whichever of its two spellings the signer chose, as node:crypto does', () => {
    const [, { privateKey, publicKey }] = PAIRS[0] as (typeof PAIRS)[number];
    const low = p256.Signature.fromBytes(sign('sha256', TEXT, privateKey), 'der');
    const high = new p256.Signature(low.r, p256.Point.Fn.ORDER - low.s);
    expect(verifyDigest(DIGEST, publicKey, low.toBytes('der'))).toBe(true);
    expect(verifyDigest(DIGEST, publicKey, high.toBytes('der'))).toBe(true);
  });

  it('by another kind of key is not verified', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    expect(verifiesDigests(publicKey)).toBe(false);
    expect(verifyDigest(DIGEST, publicKey, Buffer.alloc(64))).toBe(false);
    const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    expect(verifyDigest(DIGEST, other.publicKey, sign('sha256', TEXT, other.privateKey))).toBe(false);
  });

  it('by RSA with another hash is not verified', () => {
    const [, { privateKey, publicKey }] = PAIRS[3] as (typeof PAIRS)[number];
    expect(verifyDigest(createHash('sha512').update(TEXT).digest(), publicKey, sign('sha512', TEXT, privateKey))).toBe(
      false,
    );
  });
});
