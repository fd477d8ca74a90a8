import type { KeyObject } from 'node:crypto';
import {
  historyOf,
  keyIdOf,
  type LogIdentity,
  newestOf,
  PinError,
  readSignedCheckpoint,
  type SignedCheckpoint,
} from '@colophon/pins';
import { readInstallation } from '@colophon/server/data-folder';
import { logsLineage } from '@colophon/server/restore';
import { type Database, MerkleLogStore } from '@colophon/store';
import type { Command } from 'commander';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import { assertTreeContinues, auditHistory, heldCheckpoints } from '../../history/audit-history.ts';
import { givenCheckpoint } from '../../history/given-checkpoint.ts';
import type { HistoryResult } from '../../history/history-result.ts';
import { pinSeen } from '../../history/keep-pin.ts';
import { signedByOne } from '../../history/seen-history.ts';
import { knownIssuerUrl } from '../../home/issuer-url.ts';
import { upLine } from '../../home/up-line.ts';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { dataFlag, type Session } from '../../program/program.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';
import { type TrustFlags, trustMaterial, withTrust } from '../../trust/trust.ts';

type CheckpointFlags = TrustFlags & { readonly rekorUrl?: string; readonly out?: string };

/** `colophon log checkpoint`: the newest one of a transparency log, verified with its pinned key. */
export function defineCheckpoint(command: Command, session: Session): void {
  withTrust(command)
    .addHelpText('after', example('colophon log checkpoint --out log.checkpoint'))
    .option('--rekor-url <url>', 'transparency log (default: of the data folder)', parseServiceUrl)
    .option('--out <file>', 'file to write it to (default: standard output)')
    .action(async (flags: CheckpointFlags, command: Command) => {
      const url = flags.rekorUrl ?? knownIssuerUrl(session.env, dataFlag(command));
      if (url === undefined) {
        throw new CliError('cli.no_signing_services', 'no log is known', {
          expected: '--rekor-url URL',
          next: upLine(dataFlag(command)),
        });
      }
      const { trust, file } = await trustMaterial(flags, command, session);
      const note = await withFacts({ trust: file }, async () => {
        const answered = await newestOf(url);
        const found = signedByOne(answered, trust.logs, url);
        const { publicKey } = trust.logs.find((log) => keyIdOf(log.publicKey) === found.keyId)!;
        pinSeen({ origin: found.origin, publicKey }, found, session);
        return answered;
      });
      if (flags.out === undefined) session.terminal.stdout.write(note);
      else writeOutput(flags.out, note);
    });
}

/**
 * Asks a transparency log to prove that it continues a given checkpoint and the pins; of a given one also the log is taken,
 * which may be a tree that the log no longer writes into.
 * @throws PinError; as trustMaterial
 */
export async function auditLog(
  url: string,
  flags: { readonly checkpoint?: string; readonly trustedRoot?: string },
  command: Command,
  session: Session,
): Promise<HistoryResult> {
  const { trust, file } = await trustMaterial(flags, command, session);
  return withFacts({ trust: file }, async () => {
    const { checkpoint } = flags;
    const meant = checkpoint === undefined ? await newestOf(url) : await givenCheckpoint(checkpoint);
    const { origin, keyId } = signedByOne(meant, trust.logs, checkpoint ?? url);
    const publicKey = trust.logs.find((log) => keyIdOf(log.publicKey) === keyId)!.publicKey;
    return auditHistory({ origin, publicKey }, (name) => historyOf(url, name), checkpoint, session);
  });
}

/**
 * What both logs of a data folder must continue, as a check of their trees. A given checkpoint is of either.
 * @throws PinError `pin.checkpoint_invalid` where it is of neither
 */
export async function heldByLogs(
  dataDir: string,
  keys: { readonly rekor: KeyObject; readonly ct: KeyObject },
  checkpoint: string | undefined,
  session: Session,
): Promise<(db: Database) => void> {
  const both = [{ publicKey: keys.rekor }, { publicKey: keys.ct }];
  const given = checkpoint === undefined ? undefined : signedByOne(await givenCheckpoint(checkpoint), both, checkpoint);
  const issuer = readInstallation(dataDir)?.issuer_url;
  const held = async (publicKey: KeyObject): Promise<readonly SignedCheckpoint[]> => [
    ...(given?.keyId === keyIdOf(publicKey) ? [given] : []),
    ...(await heldCheckpoints({ origin: '', publicKey }, undefined, session)),
  ];
  const [ofRekor, ofCt] = [await held(keys.rekor), await held(keys.ct)];
  return (db) => {
    const rekor = new MerkleLogStore(db, 'rekor');
    assertTreeContinues(rekor, { origin: originOf(rekor, keys.rekor), publicKey: keys.rekor }, ofRekor);
    const ctLog = { origin: issuer === undefined ? '' : logsLineage(db, issuer).certificateOrigin, publicKey: keys.ct };
    assertTreeContinues(new MerkleLogStore(db, 'ct'), ctLog, ofCt);
  };
}

/** The name in its own checkpoints; a log without one has none yet. */
function originOf(tree: MerkleLogStore, publicKey: LogIdentity['publicKey']): string {
  const head = tree.head();
  if (head === undefined) return 'a log without a checkpoint';
  try {
    return readSignedCheckpoint(head.note, publicKey).origin;
  } catch (error) {
    if (error instanceof PinError) return 'a log of another key';
    throw error;
  }
}
