import { equalBytes } from '@colophon/merkle';
import { PinError } from '../pin-error/pin-error.ts';
import type { SignedCheckpoint } from '../signed-checkpoint/signed-checkpoint.ts';

/** Checkpoints beyond the pinned one that are kept at most; beyond them, the largest takes the place of the one before it. */
export const MOST_SEEN = 64;

/** What is known of one log. */
export type KnownCheckpoints = {
  /** The first that was seen, or a larger one that the log has proven to continue it. */
  readonly pinned?: SignedCheckpoint;
  /**
   * Larger ones, of which nobody has proven that yet, the smallest first. One of them takes the place of the pinned one
   * only with a proof, and none takes the place of another: else a log that forked could have a part of its past
   * forgotten by one signed checkpoint of the fork.
   */
  readonly seen: readonly SignedCheckpoint[];
};

/** All of them, the smallest first. */
export function knownList({ pinned, seen }: KnownCheckpoints): readonly SignedCheckpoint[] {
  return pinned === undefined ? seen : [pinned, ...seen];
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
  if (pinned === undefined) return { pinned: found, seen };
  if (found.size <= pinned.size) return known;
  if (isProven) return { pinned: found, seen: seen.filter(({ size }) => size > found.size) };
  if (seen.some(({ size }) => size === found.size)) return known;
  const next = [...seen, found].sort((one, other) => one.size - other.size);
  return { pinned, seen: next.length > MOST_SEEN ? [...next.slice(0, MOST_SEEN - 1), next.at(-1)!] : next };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
