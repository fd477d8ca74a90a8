import { generateKeyPairSync } from 'node:crypto';
import { sealCosignKey } from './cosign-key.ts';
import { keyHintOf } from './key-hint.ts';

/** A new key of one's own: PEM of the encrypted private key and of the public key, and how bundles name it. */
export type SealedKey = { readonly privateKey: string; readonly publicKey: string; readonly keyHint: string };

/** Makes a key on P-256, as `cosign generate-key-pair` does, encrypted with the password. */
export function generateSealedKey(password: string): SealedKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    privateKey: sealCosignKey(privateKey, password),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    keyHint: keyHintOf(publicKey),
  };
}
