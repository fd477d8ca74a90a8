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

/**
 * Asks a log to prove that it continues a checkpoint that was kept elsewhere, and the pins of this machine; keeps the
 * newest one.
 * @param checkpoint file or address
 * @throws PinError; CliError `cli.file_unreadable`
 */
export async function auditHistory(
  log: LogIdentity,
  history: LogHistory,
  checkpoint: string | undefined,
  { env }: Session,
): Promise<HistoryResult> {
  const pins = new FilePins(pinsFolder(env));
  const given = checkpoint === undefined ? [] : [readCheckpointOf(await givenCheckpoint(checkpoint), log)];
  const known = knownList(pins.known(log));
  const newest = await provenNewest(log, [...given, ...known], history);
  pins.keep(log, newest, true);
  return {
    ok: true,
    origin: log.origin,
    url: history.place,
    size: newest.size,
    root_hash: hex(newest),
    continues: [
      ...given.map((one) => ({ from: 'checkpoint' as const, size: one.size, root_hash: hex(one) })),
      ...known.map((one) => ({ from: 'pin' as const, size: one.size, root_hash: hex(one) })),
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
  const rows = continues.map(({ from, size: before, root_hash: root }) => [
    from === 'pin' ? 'continues the pin' : 'continues the checkpoint',
    `${before} entries, root ${root}`,
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
