import { equalBytes } from '@colophon/merkle';
import { PinError } from '../pin-error/pin-error.ts';
import type { SignedCheckpoint } from '../signed-checkpoint/signed-checkpoint.ts';

/** What is known of one log. */
export type KnownCheckpoints = {
  /** The first that was seen, or a larger one that the log has proven to continue it. */
  readonly pinned?: SignedCheckpoint;
  /**
   * The largest one beyond it, of which nobody has proven that yet. It takes the place of the pinned one only with a
   * proof: else a log that forked could have its fork pinned by one signed checkpoint, and the past were forgotten.
   */
  readonly seen?: SignedCheckpoint;
};

/** Both, the smaller first. */
export function knownList({ pinned, seen }: KnownCheckpoints): readonly SignedCheckpoint[] {
  return [pinned, seen].filter((one) => one !== undefined);
}

/**
 * Holds a checkpoint of the same log against those that are known. A smaller one is normal: a bundle is older than its
 * reader's pin.
 * @throws PinError `pin.fork` where one of the same size has another root
 */
export function assertNoFork(known: readonly SignedCheckpoint[], found: SignedCheckpoint): void {
  const other = known.find(({ size, root }) => size === found.size && !equalBytes(root, found.root));
  if (other === undefined) return;
  throw new PinError('pin.fork', `the log "${found.origin}" signed two roots for its first ${found.size} entries`, {
    expected: `root ${hex(other.root)}, as pinned`,
    found: `root ${hex(found.root)}`,
  });
}

/**
 * What is known once a checkpoint was seen; the same object where that is nothing new.
 * @param isProven whether the log has proven that it continues everything that is known and not larger
 * @throws PinError `pin.fork`
 */
export function withSeen(known: KnownCheckpoints, found: SignedCheckpoint, isProven: boolean): KnownCheckpoints {
  assertNoFork(knownList(known), found);
  const { pinned, seen } = known;
  if (pinned === undefined) return { pinned: found };
  if (!isProven) return found.size > (seen ?? pinned).size ? { pinned, seen: found } : known;
  const isBeyond = seen !== undefined && seen.size > found.size;
  if (found.size <= pinned.size) return known;
  return isBeyond ? { pinned: found, seen } : { pinned: found };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
