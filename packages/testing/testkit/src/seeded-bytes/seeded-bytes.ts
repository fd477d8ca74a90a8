import { createHash } from 'node:crypto';

/** `length` bytes that look random and are the same for the same `seed`, on every machine. */
export function seededBytes(seed: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let block = 0; block * 32 < length; block++) {
    const digest = createHash('sha256').update(`${block}:${seed}`).digest();
    bytes.set(digest.subarray(0, length - block * 32), block * 32);
  }
  return bytes;
}
