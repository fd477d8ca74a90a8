import { createHash } from 'node:crypto';
import { parseDigest } from '@colophon/notation';

/** The registered algorithms of the image spec. SHA-256 is what everybody uses; both are kept side by side. */
export const DIGEST_ALGORITHMS = ['sha256', 'sha512'] as const;
export type DigestAlgorithm = (typeof DIGEST_ALGORITHMS)[number];

/** Whether `text` is a digest that content may have here; safe in a file path then. */
export function isRegistryDigest(text: string): boolean {
  const algorithm = parseDigest(text)?.algorithm;
  return algorithm === 'sha256' || algorithm === 'sha512';
}

/** `sha256` of `sha256:<hex>`. */
export function algorithmOf(digest: string): DigestAlgorithm {
  return digest.startsWith('sha512:') ? 'sha512' : 'sha256';
}

/** `<algorithm>:<hex>` of the bytes. */
export function digestOf(bytes: Uint8Array, algorithm: DigestAlgorithm = 'sha256'): string {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
}
