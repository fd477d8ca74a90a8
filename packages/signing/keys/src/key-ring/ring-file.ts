import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readOpenFile, systemReason, writeFileDurably } from '@colophon/durable-file';
import { KeyError } from '../key-error/key-error.ts';
import { openKeyFile, readKeyFile } from '../key-file/key-file.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { parseRing, type RingEntry, writeRing } from './ring-entry.ts';
import { keyFile, keyFileName, type RingPlace, ringFile } from './ring-place.ts';

/** Bytes of a state file: thousands of rotations. */
const MOST_RING_BYTES = 1024 * 1024;

/** The bytes of the ring's state file; undefined where no key was ever rotated. @throws KeyError `key.exposed`, `key.unavailable` */
export function readRingFile(place: RingPlace): Buffer | undefined {
  const path = ringFile(place, 'ring.json');
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new KeyError('key.unavailable', `${path} cannot be read: ${systemReason(cause)}`, { cause });
  }
  try {
    // It says which keys are good: nothing in it is secret, and nobody else may write it.
    const mode = fstatSync(file).mode & 0o777;
    if (mode & 0o022) {
      throw new KeyError('key.exposed', `${path} may be written by others (mode ${mode.toString(8)}): chmod 600 it`);
    }
    return readOpenFile(file, path, MOST_RING_BYTES);
  } catch (cause) {
    if (cause instanceof KeyError) throw cause;
    if (cause instanceof RangeError) throw new KeyError('key.ring_invalid', cause.message, { cause });
    throw new KeyError('key.unavailable', `${path} cannot be read: ${systemReason(cause)}`, { cause });
  } finally {
    closeSync(file);
  }
}

/**
 * The keys of a ring whose state file has these bytes. Without a state file it is the first key alone.
 * @throws KeyError `key.ring_invalid`; what `readKeyFile` throws
 */
export function ringEntries(place: RingPlace, bytes: Buffer | undefined): readonly RingEntry[] {
  if (bytes !== undefined) return parseRing(ringFile(place, 'ring.json'), bytes);
  const { kid } = readKeyFile(place.firstKey, place.alg);
  return [{ file: keyFileName(place, 1), kid }];
}

/** Puts the ring on disk, whole or not at all. @throws KeyError `key.unavailable` */
export function writeRingFile(place: RingPlace, entries: readonly RingEntry[]): void {
  const path = ringFile(place, 'ring.json');
  const text = writeRing(entries);
  // What a start would refuse is not written.
  parseRing(path, Buffer.from(text));
  try {
    writeFileDurably(path, text, 0o600);
  } catch (cause) {
    throw new KeyError('key.unavailable', `${path} cannot be written: ${systemReason(cause)}`, { cause });
  }
}

/** The private key of an entry. @throws KeyError `key.ring_invalid` for another key; what `readKeyFile` throws */
export function readRingKey(place: RingPlace, { file, kid }: RingEntry): SigningKey {
  const path = keyFile(place, file);
  const key = readKeyFile(path, place.alg);
  if (key.kid === kid) return key;
  throw new KeyError('key.ring_invalid', `${path} holds another key than ${kid}`);
}

/**
 * A key for the ring, on disk before the state names it. One that an interrupted change left is taken: it was never
 * named, so nobody has seen it.
 * @throws KeyError `key.ring_invalid` where that is a key that the ring has already; what `openKeyFile` throws
 */
export function makeRingKey(place: RingPlace, entries: readonly RingEntry[]): Pick<RingEntry, 'file' | 'kid'> {
  const file = keyFileName(place, entries.length + 1);
  const { kid } = openKeyFile(keyFile(place, file), place.alg);
  if (entries.every((entry) => entry.kid !== kid)) return { file, kid };
  throw new KeyError('key.ring_invalid', `${keyFile(place, file)} is a copy of the key ${kid}: delete it`);
}
