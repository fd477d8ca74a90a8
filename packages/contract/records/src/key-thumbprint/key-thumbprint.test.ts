import { createHash, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { isKeyThumbprint, keyThumbprint } from './key-thumbprint.ts';

// RFC 7638 §3.1.
const RSA = {
  kty: 'RSA',
  n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
  e: 'AQAB',
};

test('the key of RFC 7638 §3.1 has the thumbprint that stands there, whatever else is said of the key', () => {
  const thumbprint = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';
  expect(keyThumbprint(RSA)).toBe(thumbprint);
  expect(keyThumbprint({ alg: 'RS256', kid: '2011-04-29', ...RSA, use: 'sig' })).toBe(thumbprint);
  expect(isKeyThumbprint(thumbprint)).toBe(true);
});

test('the key of RFC 8037 appendix A.3 has the thumbprint that stands there', () => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
  expect(keyThumbprint(jwk)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
});

const keys = [
  ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ...['P-256', 'P-384', 'P-521'].map(
    (namedCurve) => [namedCurve, () => generateKeyPairSync('ec', { namedCurve })] as const,
  ),
  ['Ed25519', () => generateKeyPairSync('ed25519')],
] as const;

/** RFC 7638 §3.2, by hand. */
function canonical({ kty, crv, x, y, n, e }: { readonly [member: string]: unknown }): string {
  if (kty === 'RSA') return `{"e":"${e}","kty":"RSA","n":"${n}"}`;
  return `{"crv":"${crv}","kty":"${kty}","x":"${x}"${y === undefined ? '' : `,"y":"${y}"`}}`;
}

test.each(keys)('a key of %s has the hash of its required members, public or private', (_kind, generate) => {
  const { publicKey, privateKey } = generate();
  const jwk = publicKey.export({ format: 'jwk' });
  expect(keyThumbprint({ ...jwk })).toBe(
    createHash('sha256')
      .update(canonical({ ...jwk }))
      .digest('base64url'),
  );
  expect(keyThumbprint({ ...privateKey.export({ format: 'jwk' }) })).toBe(keyThumbprint({ ...jwk }));
  expect(isKeyThumbprint(keyThumbprint({ ...jwk }))).toBe(true);
});

test.each([{}, { kty: 'oct', k: 'AAAA' }, { kty: 'EC', crv: 'P-256', x: 'AA' }, { ...RSA, e: 3 }, { kty: 'toString' }])(
  'what is no public key has none (%#)',
  (jwk) => {
    expect(() => keyThumbprint(jwk)).toThrow(TypeError);
  },
);
