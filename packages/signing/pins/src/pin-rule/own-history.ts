import { equalBytes } from '@colophon/merkle';
import { PinError } from '../pin-error/pin-error.ts';
import type { SignedCheckpoint } from '../signed-checkpoint/signed-checkpoint.ts';

/** A log whose whole tree is at hand. */
export type OwnHistory = {
  readonly origin: string;
  readonly size: number;
  /** Over the first `size` entries, of which there are as many. */
  root(size: number): Uint8Array;
  /** What to do about an older history: for an error. */
  readonly next?: string;
};

/**
 * Holds a tree against a checkpoint that its key has signed.
 * @throws PinError `pin.history_smaller` where it has fewer entries, or is another log of the same key; `pin.fork` where
 * they are others
 */
export function assertOwnHistory({ origin, size, root, next }: OwnHistory, signed: SignedCheckpoint): void {
  const facts = { checked: `${origin}, key ${signed.keyId}`, ...(next === undefined ? {} : { next }) };
  if (signed.origin !== origin || size < signed.size) {
    throw new PinError(
      'pin.history_smaller',
      `"${origin}" has ${size} entries, and ${signed.size} were signed before: this is an older copy, or the database was lost`,
      {
        ...facts,
        expected: `${signed.size} entries of "${signed.origin}", root ${hex(signed.root)}`,
        found: `${size} of "${origin}"`,
      },
    );
  }
  const found = root(signed.size);
  if (equalBytes(found, signed.root)) return;
  throw new PinError('pin.fork', `"${origin}" has others among its first ${signed.size} entries than were signed`, {
    ...facts,
    expected: `root ${hex(signed.root)}`,
    found: `root ${hex(found)}`,
  });
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
