export { openKeyFile } from './key-file/key-file.ts';
export { KeyRing } from './key-ring/key-ring.ts';
export { listRing, revokeRingKey, rotateRing } from './key-ring/ring-change.ts';
export type { RingPlace } from './key-ring/ring-place.ts';
export type { RingTiming } from './key-ring/ring-schedule.ts';
export { type KeyAlgorithm, type KeysInForce, oneKey, type Signer, type SigningKeys } from './signer/signer.ts';
export { SigningKey } from './signing-key/signing-key.ts';
