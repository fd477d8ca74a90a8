import { existsSync, readFileSync } from 'node:fs';
import { verifyLogs } from '@colophon/authority';
import { dataPaths } from '@colophon/server/data-folder';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
} from '../../column-table/column-table.ts';
import { readDatabase, requireDatabase } from '../../database/database.ts';
import { dataFolder } from '../../home/home.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { readPublicKey } from '../../public-key/public-key.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable } from '../../terminal/terminal.ts';
import type { LogVerifyResult } from './log-result.ts';

/** `colophon log verify`: the logs of the data folder, read from end to end. */
export function defineVerify(command: Command, { terminal, env }: Session): void {
  command
    .addHelpText('after', example('colophon log verify'))
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async ({ output, wide }: { readonly output: OutputFormat } & WideFlag, command: Command) => {
      const dataDir = dataFolder(env, dataFlag(command));
      const paths = dataPaths(dataDir);
      requireDatabase(dataDir, dataFlag(command));
      const [rekor, ct] = await Promise.all([readPublicKey(paths.rekorPublicKey), readPublicKey(paths.ctPublicKey)]);
      const spki = { type: 'spki', format: 'der' } as const;
      const trust = {
        rekorPublicKey: rekor.export(spki),
        ctPublicKey: ct.export(spki),
        ...(existsSync(paths.fulcioChain) ? { caCertificates: [readFileSync(paths.fulcioChain, 'latin1')] } : {}),
      };
      const reports = readDatabase(dataDir, (db) => verifyLogs(db, trust), false);
      const issues = reports.flatMap((report) =>
        report.problems.map((message) => ({ path: report.log, code: 'cli.log_invalid', message })),
      );
      if (issues.length > 0) {
        throw new CliError('cli.log_invalid', 'a log does not verify', {
          checked: paths.database,
          trust: `${paths.rekorPublicKey}, ${paths.ctPublicKey}`,
          issues,
        });
      }
      const logs = reports.map(({ problems: _, ...log }) => log);
      printResult(terminal, output, { ok: true, logs } satisfies LogVerifyResult, () =>
        describeLogs(logs, { terminal, wide }),
      );
    });
}

const COLUMNS: readonly Column[] = [
  { heading: 'LOG', rank: 1 },
  { heading: 'ENTRIES', rank: 1 },
  { heading: 'CHECKPOINTS', rank: 1 },
  { heading: 'ROOT', rank: 2 },
  { heading: 'RESULT', rank: 1 },
];

function describeLogs(logs: LogVerifyResult['logs'], view: TableView): string {
  const rows = logs.map(({ log, entry_count, head_count, root_hash }) => {
    return [log, String(entry_count), String(head_count), root_hash, 'verified'];
  });
  const checks = logs.flatMap(({ log, checks }) => checks.map(({ check, detail }) => [`${log} log`, check, detail]));
  return `${columnTable(COLUMNS, rows, view)}\nChecked:\n${formatTable(checks)}`;
}
