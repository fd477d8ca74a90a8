import { createECDH, type KeyObject } from 'node:crypto';
import { p256, p384, p521 } from '@noble/curves/nist.js';

/** By the names that node:crypto has for them. */
const CURVES: Readonly<Record<string, typeof p256>> = { prime256v1: p256, secp384r1: p384, secp521r1: p521 };

/** Whether ECDSA signatures of the key can be verified: it is on a NIST curve. */
export function isOnNistCurve({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'ec' && Object.hasOwn(CURVES, asymmetricKeyDetails?.namedCurve ?? '');
}

/**
 * Whether `signature` (DER) is the key's ECDSA signature over a message with that digest. node:crypto verifies over
 * messages only, and all of the curve in JavaScript takes ten times as long. So both multiplications of a point, nearly
 * all of the work, are those of ECDH: its public key of a secret k is k·G, and its shared secret with a point P is the x of k·P.
 *
 * The signature holds when the x of R = (e/s)·G + (r/s)·Q is r. That is R = (r/s)·W with W = (e/r)·G + Q, and W is no
 * secret, so that nothing but R's x is left to ask for.
 * @throws Error for a signature that is not in DER, or whose numbers are out of range
 * @see FIPS 186-5 §6.4.2
 */
export function verifyEcdsaDigest(key: KeyObject, digest: Uint8Array, signature: Uint8Array): boolean {
  const name = key.asymmetricKeyDetails?.namedCurve ?? '';
  const curve = isOnNistCurve(key) ? CURVES[name] : undefined;
  if (curve === undefined) return false;
  const { Point, Signature } = curve;
  const { Fn } = Point;
  // Strict DER, and 0 < r, s < n: each has an inverse. High s is as valid as low.
  const { r, s } = Signature.fromBytes(signature, 'der');
  const inverse = Fn.inv(Fn.mul(r, s));
  // The leftmost bits of a longer digest; orders and digests end at whole bytes, but for P-521's order, which is longer.
  const e = Fn.create(BigInt(`0x${Buffer.from(digest).toString('hex', 0, Fn.BYTES)}`));
  const ofBase = Fn.mul(e, Fn.mul(inverse, s));
  const ofSum = Fn.mul(r, Fn.mul(inverse, r));

  const ecdh = createECDH(name);
  const multiply = (scalar: bigint) => ecdh.setPrivateKey(Fn.toBytes(scalar));
  let sum = Point.fromBytes(pointOf(key));
  if (ofBase !== 0n) {
    multiply(ofBase);
    sum = sum.add(Point.fromBytes(ecdh.getPublicKey()));
  }
  // R would be the point at infinity, which has no x.
  if (sum.is0()) return false;
  multiply(ofSum);
  const x = BigInt(`0x${ecdh.computeSecret(sum.toBytes(false)).toString('hex')}`);
  return Fn.create(x) === r;
}

/** Uncompressed. */
function pointOf(key: KeyObject): Uint8Array {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([Uint8Array.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}
