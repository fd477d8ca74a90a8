import { ledgerHistory } from '@colophon/pins';
import { dataPaths } from '@colophon/server/data-folder';
import { MerkleLogStore } from '@colophon/store';
import type { Command } from 'commander';
import { readDatabase, requireDatabase } from '../../database/database.ts';
import { noCheckpointYet } from '../../history/audit-history.ts';
import { pinSeen } from '../../history/keep-pin.ts';
import { readLedgerCheckpoint } from '../../history/ledger-checkpoint.ts';
import { dataFolder } from '../../home/home.ts';
import { startedInstallation } from '../../home/started-installation.ts';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { dataFlag, type Session } from '../../program/program.ts';
import { readPublicKey } from '../../public-key/public-key.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';

type CheckpointFlags = { readonly issuer?: string; readonly key?: string; readonly out?: string };

/** `colophon ledger checkpoint`: the newest one, to be kept where the issuer cannot reach it. */
export function defineCheckpoint(command: Command, session: Session): void {
  const { terminal, env } = session;
  command
    .addHelpText('after', example('colophon ledger checkpoint --out ledger.checkpoint'))
    .option(
      '--issuer <url>',
      'issuer that is asked (default: the database of the data folder is read)',
      parseServiceUrl,
    )
    .option('--key <file>', "public key of the ledger's checkpoints (default: of the data folder)")
    .option('--out <file>', 'file to write it to (default: standard output)')
    .action(async ({ issuer, key, out }: CheckpointFlags, command: Command) => {
      const dataDir = dataFolder(env, dataFlag(command));
      const publicKey = await readPublicKey(key ?? dataPaths(dataDir).ledgerPublicKey);
      const note = issuer === undefined ? noteIn(dataDir, dataFlag(command)) : await ledgerHistory(issuer).newest();
      const url = issuer ?? startedInstallation(dataDir, dataFlag(command)).issuer_url;
      const found = readLedgerCheckpoint(note, url, publicKey);
      pinSeen({ origin: found.origin, publicKey }, found, session);
      if (out === undefined) terminal.stdout.write(found.note);
      else writeOutput(out, found.note);
    });
}

function noteIn(dataDir: string, data: string | undefined): string {
  requireDatabase(dataDir, data);
  const head = readDatabase(dataDir, (db) => new MerkleLogStore(db, 'ledger').head());
  if (head === undefined) throw noCheckpointYet(dataPaths(dataDir).database);
  return head.note;
}
