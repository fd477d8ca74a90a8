export { openKeyFile } from './key-file/key-file.ts';
export type { KeyAlgorithm, Signer } from './signer/signer.ts';
export { SigningKey } from './signing-key/signing-key.ts';
