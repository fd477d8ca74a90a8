export { openKeyFile } from './key-file/key-file.ts';
export { type KeyAlgorithm, SigningKey } from './signing-key/signing-key.ts';
