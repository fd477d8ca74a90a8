import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { ed25519ph } from '@noble/curves/ed25519.js';
import { expect, test } from 'vitest';
import { signEd25519ph, verifyEd25519ph } from './ed25519ph.ts';

const sha512 = (text: string | Uint8Array) => createHash('sha512').update(text).digest();

/** The test vector of RFC 8032 §7.3. */
const RFC = {
  secret: '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
  message: '616263',
  signature:
    '98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae4131f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406',
};

function rfcKey() {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(RFC.secret, 'hex')]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

test('the vector of RFC 8032 is signed and verified', () => {
  const key = rfcKey();
  const digest = sha512(Buffer.from(RFC.message, 'hex'));
  expect(signEd25519ph(digest, key).toString('hex')).toBe(RFC.signature);
  expect(verifyEd25519ph(digest, createPublicKey(key), Buffer.from(RFC.signature, 'hex'))).toBe(true);
});

test('it is the signature that the library makes over the whole message', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const secret = Buffer.from(privateKey.export({ format: 'jwk' }).d as string, 'base64url');
  const message = Buffer.from('a message');
  const signature = signEd25519ph(sha512(message), privateKey);
  expect(signature).toEqual(Buffer.from(ed25519ph.sign(message, secret)));
  expect(verifyEd25519ph(sha512(message), publicKey, signature)).toBe(true);
});

test('another digest, another key, damage, and what signs whole messages are refused', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const digest = sha512('a');
  const signature = signEd25519ph(digest, privateKey);
  expect(verifyEd25519ph(sha512('b'), publicKey, signature)).toBe(false);
  expect(verifyEd25519ph(digest, generateKeyPairSync('ed25519').publicKey, signature)).toBe(false);
  expect(verifyEd25519ph(digest, publicKey, signature.subarray(1))).toBe(false);
  expect(verifyEd25519ph(digest, publicKey, new Uint8Array())).toBe(false);
  for (const at of [0, 40]) {
    const damaged = Buffer.from(signature);
    damaged[at]! ^= 1;
    expect(verifyEd25519ph(digest, publicKey, damaged)).toBe(false);
  }
  // One over the digest as a message, or over the message itself, is no Ed25519ph.
  expect(verifyEd25519ph(digest, publicKey, sign(null, digest, privateKey))).toBe(false);
  expect(verifyEd25519ph(digest, publicKey, sign(null, Buffer.from('a'), privateKey))).toBe(false);
});
