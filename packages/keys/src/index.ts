export { KeyError, type KeyErrorCode } from './key-error/key-error.ts';
export { openKeyFile } from './key-file/key-file.ts';
export { type KeyAlgorithm, SigningKey } from './signing-key/signing-key.ts';
