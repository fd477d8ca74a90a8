import { createHmac, generateKeyPairSync } from 'node:crypto';
import { type IssuerKey, makeIssuerKey, signInput } from '@colophon/testkit';
import { expect, test } from 'vitest';
import { faultOf } from '../../test/refusal.ts';
import { isTokenAlgorithm, type Jwk, TOKEN_ALGORITHMS, verifyTokenSignature } from './token-key.ts';

const keys = { RS256: makeIssuerKey('RS256'), ES256: makeIssuerKey('ES256'), EdDSA: makeIssuerKey('EdDSA') };
const input = 'e30.e30';

function codeOf(jwk: Jwk, alg: string, signature: Uint8Array, signingInput = input): string | undefined {
  try {
    verifyTokenSignature(jwk, alg, { signingInput, signature });
  } catch (error) {
    return faultOf(error);
  }
  return undefined;
}

const signatureOf = (key: IssuerKey) => Buffer.from(signInput(key, input), 'base64url');

test('tokens are signed with exactly three algorithms', () => {
  expect(TOKEN_ALGORITHMS).toEqual(['RS256', 'ES256', 'EdDSA']);
  for (const alg of ['none', 'HS256', 'RS512', 'PS256', 'ES384', 'toString', '', undefined, null, 7]) {
    expect(isTokenAlgorithm(alg), String(alg)).toBe(false);
  }
});

test.each(Object.values(keys))('a signature by a key for $alg is verified, and nothing else is', (key) => {
  const signature = signatureOf(key);
  expect(codeOf(key.jwk, key.alg, signature)).toBeUndefined();
  expect(codeOf(key.jwk, key.alg, signature, 'e30.e31')).toBe('token_signature_invalid');
  expect(codeOf(makeIssuerKey(key.alg).jwk, key.alg, signature)).toBe('token_signature_invalid');
  expect(codeOf(key.jwk, key.alg, new Uint8Array())).toBe('token_signature_invalid');
  for (const other of TOKEN_ALGORITHMS.filter((alg) => alg !== key.alg)) {
    expect(codeOf({ ...key.jwk, alg: undefined } as unknown as Jwk, other, signature), other).toBe(
      'token_algorithm_refused',
    );
  }
});

test('a key that is published for another algorithm or use is not for signatures', () => {
  const { jwk, alg } = keys.ES256;
  const signature = signatureOf(keys.ES256);
  const { alg: _alg, use: _use, ...bare } = jwk;
  expect(codeOf(bare, alg, signature)).toBeUndefined();
  expect(codeOf({ ...jwk, alg: 'ES384' }, alg, signature)).toBe('token_algorithm_refused');
  expect(codeOf({ ...jwk, use: 'enc' }, alg, signature)).toBe('token_algorithm_refused');
});

test('a shared secret, a private key, a broken key and a key of another curve or size are refused', () => {
  const signature = signatureOf(keys.ES256);
  const secret = Buffer.from(JSON.stringify(keys.RS256.jwk));
  const hmac = createHmac('sha256', secret).update(input).digest();
  expect(codeOf({ kty: 'oct', k: secret.toString('base64url') }, 'HS256', hmac)).toBe('token_algorithm_refused');
  const privateJwk = { ...keys.ES256.privateKey.export({ format: 'jwk' }), kid: 'x' };
  expect(codeOf(privateJwk, 'ES256', signature)).toBe('token_algorithm_refused');
  expect(codeOf({ ...keys.ES256.jwk, x: 'AAAA' }, 'ES256', signature)).toBe('token_algorithm_refused');
  expect(codeOf({}, 'ES256', signature)).toBe('token_algorithm_refused');
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
  expect(codeOf(p384, 'ES256', signature)).toBe('token_algorithm_refused');
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
  expect(codeOf(small, 'RS256', signature)).toBe('token_algorithm_refused');
  const x25519 = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });
  expect(codeOf(x25519, 'EdDSA', signature)).toBe('token_algorithm_refused');
});

test('an ECDSA signature in DER is not a token signature', () => {
  const der = Buffer.concat([Buffer.from([0x30, 0x44]), signatureOf(keys.ES256)]);
  expect(codeOf(keys.ES256.jwk, 'ES256', der)).toBe('token_signature_invalid');
});

test('a key that was used for one algorithm is still refused for another', () => {
  const { alg: _alg, ...bare } = keys.ES256.jwk;
  const signature = signatureOf(keys.ES256);
  for (let again = 0; again < 2; again += 1) {
    expect(codeOf(bare, 'ES256', signature)).toBeUndefined();
    expect(codeOf(bare, 'ES384', signature)).toBe('token_algorithm_refused');
    expect(codeOf(bare, 'RS256', signature)).toBe('token_algorithm_refused');
  }
});
