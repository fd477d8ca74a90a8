import { createHash, type KeyObject } from 'node:crypto';

/** How a bundle names a public key, as cosign does: base64 of the SHA-256 of its SubjectPublicKeyInfo. */
export function keyHintOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}
