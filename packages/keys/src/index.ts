export { type KeyAlgorithm, openKeyFile, SigningKey } from './signing-key/signing-key.ts';
