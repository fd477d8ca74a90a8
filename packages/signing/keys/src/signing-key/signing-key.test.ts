import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SigningKey } from './signing-key.ts';

const DATA = new TextEncoder().encode('what is signed');
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;

const KEYS: Record<'RS256' | 'ES256', KeyObject> = { RS256: rsa(2048), ES256: ec('P-256') };

describe.each(['RS256', 'ES256'] as const)('a key for %s', (alg) => {
  const key = new SigningKey(KEYS[alg]);

  test('knows its algorithm', () => {
    expect(key.alg).toBe(alg);
  });

  test('signs for X.509, CT, Rekor and notes', () => {
    expect(verify('sha256', DATA, key.publicKey, key.signDer(DATA))).toBe(true);
    expect(verify('sha256', DATA.with(0, 0), key.publicKey, key.signDer(DATA))).toBe(false);
  });

  test('signs for JOSE, ECDSA as 64 bytes', () => {
    const signature = key.signJose(DATA);
    expect(verify('sha256', DATA, { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    expect(signature).toHaveLength(alg === 'ES256' ? 64 : 256);
  });

  test('has one public half in every form', () => {
    const spki = createPublicKey(KEYS[alg]).export({ type: 'spki', format: 'der' });
    expect(Buffer.from(key.spki)).toEqual(spki);
    expect(createPublicKey(key.publicPem()).export({ type: 'spki', format: 'der' })).toEqual(spki);
    const jwk = createPublicKey({ key: key.publicJwk, format: 'jwk' });
    expect(jwk.export({ type: 'spki', format: 'der' })).toEqual(spki);
  });

  test('is named by its thumbprint (RFC 7638 §3)', () => {
    const { e, n, x, y } = key.publicJwk;
    const canonical =
      alg === 'RS256' ? `{"e":"${e}","kty":"RSA","n":"${n}"}` : `{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`;
    expect(key.kid).toBe(createHash('sha256').update(canonical).digest('base64url'));
    expect(key.publicJwk).toMatchObject({ kid: key.kid, alg, use: 'sig' });
  });

  test('publishes the public members alone, and no one can change them', () => {
    const members =
      alg === 'RS256' ? ['alg', 'e', 'kid', 'kty', 'n', 'use'] : ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'];
    expect(Object.keys(key.publicJwk).sort()).toEqual(members);
    expect(Object.isFrozen(key.publicJwk)).toBe(true);
  });

  test('does not show its private half when printed or serialised', () => {
    const { d } = KEYS[alg].export({ format: 'jwk' });
    for (const text of [inspect(key, { depth: 9, showHidden: true }), JSON.stringify(key)]) {
      expect(text).not.toContain(d);
      expect(text).not.toContain('PrivateKey');
    }
  });
});

test.each([
  ['RSA of 1024 bits', () => rsa(1024)],
  ['P-384', () => ec('P-384')],
  ['secp256k1', () => ec('secp256k1')],
  ['Ed25519', () => generateKeyPairSync('ed25519').privateKey],
  ['RSA-PSS', () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey],
])('a key of another kind is refused: %s', (_, make) => {
  const privateKey = make();
  expect(() => new SigningKey(privateKey)).toThrow(
    expect.objectContaining({ name: 'KeyError', code: 'key.unsupported' }),
  );
});
