import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { p256, p384, p521 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import p256Sha256 from '../../vectors/wycheproof/ecdsa-p256-sha256.json' with { type: 'json' };
import p256Sha512 from '../../vectors/wycheproof/ecdsa-p256-sha512.json' with { type: 'json' };
import p384Sha384 from '../../vectors/wycheproof/ecdsa-p384-sha384.json' with { type: 'json' };
import p521Sha512 from '../../vectors/wycheproof/ecdsa-p521-sha512.json' with { type: 'json' };
import { isOnNistCurve, verifyEcdsaDigest } from './ecdsa-digest.ts';

type Key = Parameters<typeof verifyEcdsaDigest>[0];
type Groups = readonly {
  readonly publicKey: string;
  readonly tests: readonly (readonly [
    tcId: number,
    comment: string,
    message: string,
    signature: string,
    result: string,
  ])[];
}[];

/** As its callers ask: what cannot be read is no signature. */
function isValid(key: Key, digest: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verifyEcdsaDigest(key, digest, signature);
  } catch {
    return false;
  }
}

describe.each([
  ['p256-sha256', p256Sha256, 'sha256', 484, 174],
  ['p256-sha512', p256Sha512, 'sha512', 554, 243],
  ['p384-sha384', p384Sha384, 'sha384', 504, 194],
  ['p521-sha512', p521Sha512, 'sha512', 542, 232],
] as const)('Wycheproof, %s', (_, groups, algorithm, count, valid) => {
  const cases = (groups as unknown as Groups).flatMap(({ publicKey, tests }) => {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'hex'), format: 'der', type: 'spki' });
    return tests.map(([tcId, comment, message, signature, result]) => ({
      name: `${tcId} ${comment}`,
      key,
      digest: createHash(algorithm).update(Buffer.from(message, 'hex')).digest(),
      signature: Buffer.from(signature, 'hex'),
      expected: result === 'valid',
    }));
  });

  test('every signature has the verdict that the file gives', () => {
    expect([cases.length, cases.filter(({ expected }) => expected).length]).toEqual([count, valid]);
    const wrong = cases.filter(({ key, digest, signature, expected }) => isValid(key, digest, signature) !== expected);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

const CURVES = [
  ['P-256', p256],
  ['P-384', p384],
  ['P-521', p521],
] as const;

describe.each(CURVES)('on %s', (namedCurve, curve) => {
  const { Point, Signature } = curve;
  const { Fn } = Point;
  const secret = curve.utils.randomSecretKey();
  const d = Fn.fromBytes(secret);
  const key = keyOf(curve.getPublicKey(secret, false));
  const scalar = fc.bigInt({ min: 1n, max: Fn.ORDER - 1n });
  // As long as the order, so that a number is its own leftmost bits.
  const digestOf = (e: bigint) => Fn.toBytes(e);
  const der = (r: bigint, s: bigint) => new Signature(r, s).toBytes('der');
  const xOf = (k: bigint) => Fn.create(Point.BASE.multiply(k).toAffine().x);

  function keyOf(point: Uint8Array): Key {
    const half = (point.length - 1) / 2;
    const part = (from: number) => Buffer.from(point.subarray(from, from + half)).toString('base64url');
    return createPublicKey({ key: { kty: 'EC', crv: namedCurve, x: part(1), y: part(1 + half) }, format: 'jwk' });
  }

  test('the verdict is that of node:crypto, whatever is changed', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
    const change = fc.option(fc.record({ at: fc.nat(), bit: fc.nat(7) }));
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.constantFrom('sha256', 'sha384', 'sha512'),
        change,
        (message, algorithm, changed) => {
          const signature = sign(algorithm, message, privateKey);
          if (changed !== null) signature[changed.at % signature.length]! ^= 1 << changed.bit;
          const digest = createHash(algorithm).update(message).digest();
          expect(isValid(publicKey, digest, signature)).toBe(verify(algorithm, message, publicKey, signature));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a digest of zero is signed by the key alone', () => {
    const k = 12_345n;
    const r = xOf(k);
    const s = Fn.mul(Fn.inv(k), Fn.mul(r, d));
    expect(isValid(key, digestOf(0n), der(r, s))).toBe(true);
    expect(isValid(key, digestOf(1n), der(r, s))).toBe(false);
  });

  test('a sum of a point with itself is a sum', () => {
    const k = 54_321n;
    const r = xOf(k);
    const e = Fn.mul(r, d);
    expect(isValid(key, digestOf(e), der(r, Fn.mul(Fn.inv(k), Fn.add(e, e))))).toBe(true);
  });

  test('the point at infinity has no x, so no signature leads there', () => {
    fc.assert(
      fc.property(scalar, scalar, (r, s) => {
        const e = Fn.neg(Fn.mul(r, d));
        expect(isValid(key, digestOf(e), der(r, s))).toBe(false);
      }),
      { numRuns: 5 },
    );
  });

  test('the signature of the key with the opposite sign is another key’s', () => {
    const opposite = keyOf(Point.BASE.multiply(d).negate().toBytes(false));
    const digest = createHash('sha256').update('message').digest();
    const signature = curve.sign(digest, secret, { prehash: false, lowS: false, format: 'der' });
    expect(isValid(key, digest, signature)).toBe(true);
    expect(isValid(opposite, digest, signature)).toBe(false);
  });

  test('numbers out of range are refused, also where they are right but for the order', () => {
    const digest = createHash('sha256').update('message').digest();
    const signature = curve.sign(digest, secret, { prehash: false, lowS: false, format: 'der' });
    const { r, s } = Signature.fromBytes(signature, 'der');
    const written = (one: bigint, other: bigint) => {
      const parts = [one, other].map((number) => {
        const hex = number.toString(16);
        const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
        const content = bytes[0]! & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
        return Buffer.concat([Buffer.of(2, content.length), content]);
      });
      const body = Buffer.concat(parts);
      return Buffer.concat([
        body.length < 0x80 ? Buffer.of(0x30, body.length) : Buffer.of(0x30, 0x81, body.length),
        body,
      ]);
    };
    expect(isValid(key, digest, written(r, s))).toBe(true);
    for (const [one, other] of [
      [r + Fn.ORDER, s],
      [r, s + Fn.ORDER],
      [0n, s],
      [r, 0n],
      [Fn.ORDER, s],
      [r, Fn.ORDER],
    ] as const) {
      expect(isValid(key, digest, written(one, other))).toBe(false);
    }
  });
});

test('keys on other curves, and other keys, verify nothing', () => {
  const digest = createHash('sha256').update('message').digest();
  for (const { publicKey, privateKey } of [
    generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
    generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' }),
  ]) {
    expect(isOnNistCurve(publicKey)).toBe(false);
    expect(isValid(publicKey, digest, sign('sha256', Buffer.from('message'), privateKey))).toBe(false);
  }
  expect(isOnNistCurve(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)).toBe(false);
});
