import { createHash, type KeyObject } from 'node:crypto';

/** A key is exported once: a folder of pins asks for the same one at each line of each note. */
const HASHES = new WeakMap<KeyObject, Buffer>();

/** SHA-256 over the SubjectPublicKeyInfo of a key. */
export function keyHashOf(publicKey: KeyObject): Buffer {
  const known = HASHES.get(publicKey);
  if (known !== undefined) return known;
  const hash = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
  HASHES.set(publicKey, hash);
  return hash;
}

/** The same, hex. */
export function keyIdOf(publicKey: KeyObject): string {
  return keyHashOf(publicKey).toString('hex');
}
