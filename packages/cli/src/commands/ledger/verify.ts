import { ledgerOrigin, verifyLedger } from '@colophon/issuer';
import type { LedgerResult } from '@colophon/issuer/result';
import { ledgerHistory } from '@colophon/pins';
import { dataPaths, readInstallation } from '@colophon/server/data-folder';
import { MerkleLogStore } from '@colophon/store';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { readDatabase, requireDatabase } from '../../database/database.ts';
import { assertTreeContinues, auditHistory, describeHistory, heldCheckpoints } from '../../history/audit-history.ts';
import { CHECKPOINT_HELP } from '../../history/given-checkpoint.ts';
import { dataFolder } from '../../home/home.ts';
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
      'colophon ledger verify --checkpoint last-month.checkpoint \\',
      '  --issuer https://agents.example.com --key ledger.pub',
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
        const log = { origin: ledgerOrigin(issuer), publicKey };
        printResult(
          terminal,
          output,
          await auditHistory(log, ledgerHistory(issuer), checkpoint, session),
          describeHistory,
        );
        return;
      }
      requireDatabase(dataDir, dataFlag(command));
      const keyFile = key ?? dataPaths(dataDir).ledgerPublicKey;
      const publicKey = await readPublicKey(keyFile);
      const origin = ledgerOrigin(readInstallation(dataDir)?.issuer_url ?? '');
      const log = { origin, publicKey };
      const held = await heldCheckpoints(log, checkpoint, session);
      const { problems, problem_counts, ...report } = readDatabase(
        dataDir,
        (db) => verifyLedger(db, publicKey, origin),
        false,
      );
      if (!report.ok) {
        throw new CliError('cli.ledger_invalid', 'the ledger does not verify', {
          checked: dataPaths(dataDir).database,
          found: Object.entries(problem_counts)
            .map(([code, count]) => `${count} × ${code}`)
            .join(', '),
          trust: keyFile,
          issues: problems.map(({ code, message, seq, size }) => ({
            path: seq !== undefined ? `row ${seq}` : size !== undefined ? `checkpoint of size ${size}` : 'file',
            code,
            message,
          })),
        });
      }
      readDatabase(dataDir, (db) => assertTreeContinues(new MerkleLogStore(db, 'ledger'), log, held, 'ledger'));
      printResult(terminal, output, report satisfies LedgerResult, describeReport);
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
