import { equalBytes, verifyConsistency } from '@colophon/merkle';
import { PinError } from '../pin-error/pin-error.ts';
import { assertNoFork } from '../pin-rule/pin-rule.ts';
import { type LogIdentity, readCheckpointOf, type SignedCheckpoint } from '../signed-checkpoint/signed-checkpoint.ts';

/** What a log says of its past; nothing of it is believed. */
export type LogHistory = {
  /** Who is asked, as it is shown. */
  readonly place: string;
  /** The newest checkpoint. @throws PinError `pin.log_unavailable`, `pin.log_refused` */
  newest(): Promise<string>;
  /** That the first `first` entries are the first ones of `second`, RFC 6962 §2.1.2. @throws as newest */
  consistency(first: number, second: number): Promise<readonly Uint8Array[]>;
};

/**
 * Asks a log for its newest checkpoint and has it prove that this continues each of the given ones: nothing that they
 * cover was changed or removed since.
 * @returns the newest checkpoint
 * @throws PinError `pin.fork`, `pin.inconsistent`, `pin.log_behind`, `pin.checkpoint_invalid`, `pin.other_log`, and those of `history`
 */
export async function provenNewest(
  log: LogIdentity,
  from: readonly SignedCheckpoint[],
  history: LogHistory,
): Promise<SignedCheckpoint> {
  const newest = readCheckpointOf(await history.newest(), log);
  assertNoFork(from, newest);
  for (const one of from) await assertContinued(one, newest, history);
  return newest;
}

async function assertContinued(from: SignedCheckpoint, newest: SignedCheckpoint, history: LogHistory): Promise<void> {
  if (from.size > newest.size) {
    throw new PinError(
      'pin.log_behind',
      `the log "${newest.origin}" is behind a checkpoint that it has signed before`,
      {
        checked: history.place,
        expected: `${from.size} entries or more`,
        found: `${newest.size}`,
      },
    );
  }
  const isSame = from.size === newest.size && equalBytes(from.root, newest.root);
  // Every tree continues the empty one.
  const proof = isSame || from.size === 0 ? [] : await history.consistency(from.size, newest.size);
  const claim = { first: from.size, second: newest.size, firstRoot: from.root, secondRoot: newest.root, proof };
  if (verifyConsistency(claim)) return;
  throw new PinError('pin.inconsistent', `the log "${newest.origin}" does not continue what it has signed before`, {
    checked: history.place,
    expected: `a tree of ${newest.size} entries that begins with the ${from.size} of root ${hex(from.root)}`,
    found: 'a proof that does not lead there',
  });
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
