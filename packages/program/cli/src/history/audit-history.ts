import {
  assertOwnHistory,
  FilePins,
  knownList,
  type LogHistory,
  type LogIdentity,
  provenNewest,
  readCheckpointOf,
  type SignedCheckpoint,
} from '@colophon/pins';
import type { MerkleLogStore } from '@colophon/store';
import { CliError } from '../cli-error/cli-error.ts';
import { pinsFolder } from '../home/home.ts';
import type { Session } from '../program/program.ts';
import { formatTable } from '../terminal/terminal.ts';
import { givenCheckpoint } from './given-checkpoint.ts';
import type { HistoryResult } from './history-result.ts';
import { keepPin } from './keep-pin.ts';
import { provenOtherNames } from './other-names.ts';

/**
 * Asks a log to prove that it continues a checkpoint that was kept elsewhere, and everything that this machine has pinned
 * of its key; keeps the newest one.
 * @param historyOf whom to ask about the log of this name and key
 * @param checkpoint file or address
 * @throws PinError; CliError `cli.file_unreadable`
 */
export async function auditHistory(
  log: LogIdentity,
  historyOf: (origin: string) => LogHistory,
  checkpoint: string | undefined,
  session: Session,
): Promise<HistoryResult> {
  const pins = new FilePins(pinsFolder(session.env));
  const given = checkpoint === undefined ? [] : [readCheckpointOf(await givenCheckpoint(checkpoint), log)];
  const known = knownList(pins.known(log));
  const history = historyOf(log.origin);
  const newest = await provenNewest(log, [...given, ...known], history);
  const others = await provenOtherNames(log, pins, historyOf);
  for (const one of [...others.map((other) => other.newest), newest]) {
    keepPin(pins, { origin: one.origin, publicKey: log.publicKey }, one, true, session);
  }
  return {
    ok: true,
    origin: log.origin,
    url: history.place,
    size: newest.size,
    root_hash: hex(newest),
    continues: [
      ...given.map((one) => ({ from: 'checkpoint' as const, size: one.size, root_hash: hex(one) })),
      ...known.map((one) => ({ from: 'pin' as const, size: one.size, root_hash: hex(one) })),
      ...others
        .flatMap((other) => other.known)
        .map((one) => ({ from: 'pin' as const, size: one.size, root_hash: hex(one), origin: one.origin })),
    ],
  };
}

/**
 * What a log whose tree lies here must continue: a given checkpoint, and everything that is pinned of its key. To be asked
 * for before the tree is read, which only grows.
 * @throws PinError; CliError `cli.file_unreadable`
 */
export async function heldCheckpoints(
  log: LogIdentity,
  checkpoint: string | undefined,
  { env }: Session,
): Promise<readonly SignedCheckpoint[]> {
  const given = checkpoint === undefined ? [] : [readCheckpointOf(await givenCheckpoint(checkpoint), log)];
  return [...given, ...new FilePins(pinsFolder(env)).ofKey(log.publicKey)];
}

/** Holds a tree of the data folder against them. @throws PinError `pin.history_smaller`, `pin.fork` */
export function assertTreeContinues(
  tree: MerkleLogStore,
  { origin }: LogIdentity,
  held: readonly SignedCheckpoint[],
): void {
  const own = { origin, size: tree.size(), root: (size: number) => tree.root(size) };
  for (const one of held) assertOwnHistory(own, one);
}

/** For people. */
export function describeHistory({ origin, url, size, root_hash, continues }: HistoryResult): string {
  const rows = continues.map(({ from, size: before, root_hash: root, origin: other }) => [
    from === 'pin' ? 'continues the pin' : 'continues the checkpoint',
    `${before} entries, root ${root}${other === undefined ? '' : `, of ${other}`}`,
  ]);
  return formatTable([
    ['log', origin],
    ['asked', url],
    ['now', `${size} entries, root ${root_hash}`],
    ...(rows.length === 0 ? [['continues', 'nothing that was known: pinned from now on']] : rows),
  ]);
}

/** Where a checkpoint can be neither asked for nor read. */
export function noCheckpointYet(checked: string): CliError {
  return new CliError('cli.no_checkpoint', 'the log has no checkpoint yet: nothing was written into it', { checked });
}

function hex({ root }: SignedCheckpoint): string {
  return Buffer.from(root).toString('hex');
}
