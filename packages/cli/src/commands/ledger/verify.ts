import { ledgerOrigin, verifyLedger } from '@colophon/issuer';
import type { LedgerResult } from '@colophon/issuer/result';
import { dataPaths, readInstallation } from '@colophon/server/data-folder';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { readDatabase, requireDatabase } from '../../database/database.ts';
import { dataFolder } from '../../home/home.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { readPublicKey } from '../../public-key/public-key.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable } from '../../terminal/terminal.ts';

/** `colophon ledger verify`: that nothing was issued off the books. Reads only. */
export function defineVerify(command: Command, { terminal, env }: Session): void {
  command.addHelpText('after', example('colophon ledger verify'));
  command
    .option('--key <file>', "public key of the ledger's checkpoints (default: of the data folder)")
    .addOption(outputOption())
    .action(async ({ key, output }: { key?: string; output: OutputFormat }, command: Command) => {
      const dataDir = dataFolder(env, dataFlag(command));
      requireDatabase(dataDir, dataFlag(command));
      const keyFile = key ?? dataPaths(dataDir).ledgerPublicKey;
      const publicKey = await readPublicKey(keyFile);
      const origin = ledgerOrigin(readInstallation(dataDir)?.issuer_url ?? '');
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
