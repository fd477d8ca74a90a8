import {
  type DerElement,
  parsePem,
  readBitString,
  readDerElements,
  readDerSequence,
  readOid,
} from '@colophon/encoding';
import { digestOf } from '@colophon/records';

const ELLIPTIC_CURVE = '1.2.840.10045.2.1';
/** Algorithms of keys that sign artifacts: elliptic curves, RSA, Ed25519 (RFC 5480, RFC 8017, RFC 8410). */
const ALGORITHMS: ReadonlySet<string> = new Set([ELLIPTIC_CURVE, '1.2.840.113549.1.1.1', '1.3.101.112']);
/** First octet of a point that is written with both of its coordinates (RFC 5480 §2.2). */
const UNCOMPRESSED = 4;

/**
 * The name of a public key: `sha256:<hex>` over its SubjectPublicKeyInfo, which is what cosign's key hint is, too.
 * Undefined for what is not one public key in PEM of an algorithm that signs artifacts, and for a key in any but the usual
 * form: one key has one name. Never throws.
 * @see RFC 5280 §4.1.2.7, RFC 7468
 */
export function publicKeyName(pem: string): string | undefined {
  const blocks = parsePem(pem, 'lax');
  const block = blocks?.length === 1 ? blocks[0] : undefined;
  if (block?.label !== 'PUBLIC KEY') return undefined;
  try {
    const [algorithm, key] = readDerSequence(block.der);
    if (key === undefined) return undefined;
    const [oid, parameters] = readDerElements((algorithm as DerElement).content);
    const name = readOid(oid);
    if (name === ELLIPTIC_CURVE && !isUsualPoint(parameters, key)) return undefined;
    return ALGORITHMS.has(name) ? digestOf(block.der) : undefined;
  } catch {
    // Not what a key is written in.
  }
  return undefined;
}

/** The same point can be written in three forms, and its curve by its numbers in place of its name. @throws DerError for those */
function isUsualPoint(curve: DerElement | undefined, point: DerElement): boolean {
  readOid(curve);
  return readBitString(point)[0] === UNCOMPRESSED;
}
