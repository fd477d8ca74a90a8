import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

/** How a bundle names a public key, as cosign does: base64 of the SHA-256 of its SubjectPublicKeyInfo. */
export function keyHintOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}

/** The name of a public key in PEM: `sha256:<hex>` over its SubjectPublicKeyInfo. @throws TypeError for what is no key */
export function keyNameOf(pem: string): string {
  const hint = keyHintOf(createPublicKey(pem));
  return `sha256:${Buffer.from(hint, 'base64').toString('hex')}`;
}
