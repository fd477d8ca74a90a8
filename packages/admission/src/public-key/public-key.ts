import { parsePem, readDerElements, readDerSequence, readOid } from '@colophon/encoding';
import { digestOf } from '@colophon/records';

/** Algorithms of keys that sign artifacts: elliptic curves, RSA, Ed25519 (RFC 5480, RFC 8017, RFC 8410). */
const ALGORITHMS: ReadonlySet<string> = new Set(['1.2.840.10045.2.1', '1.2.840.113549.1.1.1', '1.3.101.112']);

/**
 * The name of a public key: `sha256:<hex>` over its SubjectPublicKeyInfo, which is what cosign's key hint is, too.
 * Undefined for what is not one public key in PEM of an algorithm that signs artifacts. Never throws.
 * @see RFC 5280 §4.1.2.7, RFC 7468
 */
export function publicKeyName(pem: string): string | undefined {
  const [block, ...more] = parsePem(pem, 'lax') ?? [];
  if (block?.label !== 'PUBLIC KEY' || more.length > 0) return undefined;
  try {
    const [algorithm, key] = readDerSequence(block.der);
    if (algorithm === undefined || key === undefined) return undefined;
    return ALGORITHMS.has(readOid(readDerElements(algorithm.content)[0])) ? digestOf(block.der) : undefined;
  } catch {
    return undefined;
  }
}
