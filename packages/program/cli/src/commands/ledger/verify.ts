import { createPublicKey, type KeyObject } from 'node:crypto';
import { LedgerRecords, verifyLedger } from '@colophon/issuer';
import type { LedgerResult } from '@colophon/issuer/result';
import { dataPaths } from '@colophon/server/data-folder';
import { frozenFile, ledgerLineage } from '@colophon/server/restore';
import { MerkleLogStore } from '@colophon/store';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { readDatabase, readDatabaseFile, requireDatabase } from '../../database/database.ts';
import { assertTreeContinues, describeHistory, heldCheckpoints } from '../../history/audit-history.ts';
import { CHECKPOINT_HELP } from '../../history/given-checkpoint.ts';
import { auditLedger } from '../../history/ledger-checkpoint.ts';
import { dataFolder } from '../../home/home.ts';
import { startedInstallation } from '../../home/started-installation.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { readPublicKey } from '../../public-key/public-key.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';
import { formatTable } from '../../terminal/terminal.ts';

type VerifyFlags = {
  readonly key?: string;
  readonly checkpoint?: string;
  readonly issuer?: string;
  readonly output: OutputFormat;
};

/**
 * `colophon ledger verify`: that nothing was issued off the books, of the ledger that lies here. With `--issuer` that
 * nothing was removed since a checkpoint, of an issuer whose database nobody has to see.
 */
export function defineVerify(command: Command, session: Session): void {
  const { terminal, env } = session;
  command.addHelpText(
    'after',
    example(
      'colophon ledger verify',
      'colophon ledger verify --checkpoint ledger.checkpoint \\',
      '  --issuer http://localhost:7080',
    ),
  );
  command
    .option('--checkpoint <file-or-url>', CHECKPOINT_HELP)
    .option('--issuer <url>', 'issuer that is asked for the proof, instead of the data folder', parseServiceUrl)
    .option('--key <file>', "public key of the ledger's checkpoints (default: of the data folder)")
    .addOption(outputOption())
    .action(async ({ key, checkpoint, issuer, output }: VerifyFlags, command: Command) => {
      const dataDir = dataFolder(env, dataFlag(command));
      if (issuer !== undefined) {
        const publicKey = await readPublicKey(key ?? dataPaths(dataDir).ledgerPublicKey);
        const result = await auditLedger(issuer, publicKey, checkpoint, session);
        printResult(terminal, output, result, describeHistory);
        return;
      }
      requireDatabase(dataDir, dataFlag(command));
      const keyFile = key ?? dataPaths(dataDir).ledgerPublicKey;
      const publicKey = await readPublicKey(keyFile);
      const issuerUrl = startedInstallation(dataDir, dataFlag(command)).issuer_url;
      const { origin, restores } = readDatabase(dataDir, (db) => ledgerLineage(db, dataDir, issuerUrl));
      const log = { origin, publicKey };
      const held = await heldCheckpoints(log, checkpoint, session);
      const records = new LedgerRecords();
      for (const restore of restores) {
        const file = frozenFile(dataDir, restore);
        const { origin: frozen, public_key } = restore.frozen;
        if (file === undefined) continue;
        const publicKey = createPublicKey(public_key);
        verifyFile({ file, publicKey, origin: frozen, trust: `the key of "${frozen}"` }, { records, isFrozen: true });
      }
      const report = verifyFile({ file: requireDatabase(dataDir), publicKey, origin, trust: keyFile }, { records });
      readDatabase(dataDir, (db) => assertTreeContinues(new MerkleLogStore(db, 'ledger'), log, held));
      printResult(terminal, output, report satisfies LedgerResult, describeReport);
    });
}

/** @throws CliError `cli.ledger_invalid` */
function verifyFile(
  { file, publicKey, origin, trust }: { file: string; publicKey: KeyObject; origin: string; trust: string },
  options: { readonly records: LedgerRecords; readonly isFrozen?: boolean },
): LedgerResult {
  const { problems, problem_counts, ...report } = readDatabaseFile(
    file,
    (db) => verifyLedger(db, publicKey, origin, options),
    false,
  );
  if (report.ok) return report;
  throw new CliError('cli.ledger_invalid', 'the ledger does not verify', {
    checked: file,
    found: Object.entries(problem_counts)
      .map(([code, count]) => `${count} × ${code}`)
      .join(', '),
    trust,
    issues: problems.map(({ code, message, seq, size }) => ({
      path: seq !== undefined ? `row ${seq}` : size !== undefined ? `checkpoint of size ${size}` : 'file',
      code,
      message,
    })),
  });
}

function describeReport(report: LedgerResult): string {
  return formatTable([
    ['ledger', 'verified'],
    ['tokens issued', String(report.token_count)],
    ['events', String(report.event_count)],
    ['erased payloads', String(report.erased_count)],
    ['under a checkpoint', String(report.integrated_count)],
    ['checkpoints', String(report.checkpoint_count)],
    ['root', report.root_hash],
    ...report.checks.map(({ check, detail }) => [`checked: ${check}`, detail]),
  ]);
}
