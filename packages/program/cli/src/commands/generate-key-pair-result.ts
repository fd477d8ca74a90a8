import { type ResultOf, resultOf, string } from '@colophon/records/result';

/** `colophon generate-key-pair`. */
export const generateKeyPairResult = resultOf('a new key, in two files', {
  private_key: string('file of the encrypted private key'),
  public_key: string('file of the public key'),
  key_hint: string('how bundles name the key: base64 of the SHA-256 of its SubjectPublicKeyInfo'),
});
export type GenerateKeyPairResult = ResultOf<typeof generateKeyPairResult>;
