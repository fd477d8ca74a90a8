import { rmSync, statSync } from 'node:fs';
import { systemReason } from '@colophon/durable-file';
import { KeyError } from '../key-error/key-error.ts';
import type { RingEntry } from './ring-entry.ts';
import { makeRingKey, readRingFile, ringEntries, writeRingFile } from './ring-file.ts';
import { lockedRing } from './ring-lock.ts';
import { keyFile, type RingPlace, ringFile } from './ring-place.ts';
import {
  isLastKey,
  keysAt,
  RING_TIMING,
  type RingKeyState,
  type RingTiming,
  requireNoRotation,
  stateOfKey,
  withNextKey,
  withoutKey,
} from './ring-schedule.ts';

/** A key of a ring, and what it is now. */
export type ListedKey = RingEntry & { readonly state: RingKeyState };

/** The time of a change; what it waits for, by default the issuer's own. */
export type RingChange = { readonly now: number; readonly timing?: RingTiming };

/**
 * Every key that the ring ever had, in the order in which they sign. Reads only.
 * @throws KeyError `key.ring_invalid`, `key.exposed`, `key.unavailable`, `key.malformed`, `key.wrong_algorithm`
 */
export function listRing(place: RingPlace, now: number): readonly ListedKey[] {
  return listed(ringEntries(place, readRingFile(place)), now);
}

/**
 * Makes the key that signs a cache life from now on, and lists the ring with it. Whatever interrupts it leaves the ring
 * as it was or as it is to be.
 * @throws KeyError `key.rotation_under_way`, `key.ring_busy`, `key.foreign_owner`; what {@link listRing} throws
 */
export function rotateRing(place: RingPlace, { now, timing = RING_TIMING }: RingChange): readonly ListedKey[] {
  return changed(place, now, (entries) => {
    requireNoRotation(entries, now);
    return withNextKey(entries, makeRingKey(place, entries), { now, timing });
  });
}

/**
 * Takes a key out of use and out of the key set at once, and for ever; its file is deleted after that is on disk. If it
 * was to sign, the next one does at once, which is made where there is none. Again on the same key it deletes what an
 * interrupted call left.
 * @throws KeyError `key.unknown`, `key.ring_busy`, `key.foreign_owner`; what {@link listRing} throws
 */
export function revokeRingKey(place: RingPlace, kid: string, now: number): readonly ListedKey[] {
  return changed(place, now, (entries) => {
    const entry = entries.find((one) => one.kid === kid);
    if (entry === undefined) throw new KeyError('key.unknown', 'the ring has no key of this kid');
    if (entry.revoked_at !== undefined) return entries;
    const successor = isLastKey(entries, kid, now) ? makeRingKey(place, entries) : undefined;
    return withoutKey(entries, kid, now, successor);
  });
}

function changed(
  place: RingPlace,
  now: number,
  change: (entries: readonly RingEntry[]) => readonly RingEntry[],
): readonly ListedKey[] {
  // Before the lock, whose file would be in the way of the ring's owner.
  const before = ringEntries(place, readRingFile(place));
  requireOwnKeys(place, keysAt(before, now).signing);
  return lockedRing(ringFile(place, 'ring.lock'), () => {
    const entries = ringEntries(place, readRingFile(place));
    const after = change(entries);
    if (after !== entries) writeRingFile(place, after);
    for (const { revoked_at, file } of after) if (revoked_at !== undefined) deleteKeyFile(keyFile(place, file));
    return listed(after, now);
  });
}

function listed(entries: readonly RingEntry[], now: number): readonly ListedKey[] {
  return entries.map((entry) => ({ ...entry, state: stateOfKey(entries, entry, now) }));
}

/** Another user's program could not read a key that this one makes. */
function requireOwnKeys(place: RingPlace, { file }: RingEntry): void {
  const path = keyFile(place, file);
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  const own = process.getuid?.();
  if (own === undefined || owner === undefined || owner === own) return;
  throw new KeyError('key.foreign_owner', `${path} belongs to another user: change its keys as that user`);
}

function deleteKeyFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (cause) {
    throw new KeyError('key.unavailable', `${path} is revoked, and cannot be deleted: ${systemReason(cause)}`, {
      cause,
    });
  }
}
