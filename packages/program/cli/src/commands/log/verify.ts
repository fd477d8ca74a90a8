import { existsSync, readFileSync } from 'node:fs';
import { verifyLogs } from '@colophon/authority';
import { dataPaths } from '@colophon/server/data-folder';
import { logsRestores, openFrozenLogs } from '@colophon/server/restore';
import type { Database } from '@colophon/store';
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
import { describeHistory } from '../../history/audit-history.ts';
import { CHECKPOINT_HELP } from '../../history/given-checkpoint.ts';
import { dataFolder } from '../../home/home.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { readPublicKey } from '../../public-key/public-key.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';
import { formatTable } from '../../terminal/terminal.ts';
import { type TrustFlags, withTrust } from '../../trust/trust.ts';
import { auditLog, heldByLogs } from './history.ts';
import type { LogVerifyResult } from './log-result.ts';

type VerifyFlags = WideFlag &
  TrustFlags & {
    readonly checkpoint?: string;
    readonly rekorUrl?: string;
    readonly output: OutputFormat;
  };

/**
 * `colophon log verify`: the logs of the data folder, read from end to end. With `--rekor-url` that a transparency log
 * removed nothing since a checkpoint, whosever log it is.
 */
export function defineVerify(command: Command, session: Session): void {
  const { terminal, env } = session;
  withTrust(command)
    .addHelpText(
      'after',
      example(
        'colophon log verify',
        'colophon log verify --checkpoint log.checkpoint \\',
        '  --rekor-url http://localhost:7080',
      ),
    )
    .option('--checkpoint <file-or-url>', CHECKPOINT_HELP)
    .option(
      '--rekor-url <url>',
      'transparency log that is asked for the proof, instead of the data folder',
      parseServiceUrl,
    )
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (flags: VerifyFlags, command: Command) => {
      const { output, wide, checkpoint } = flags;
      if (flags.rekorUrl !== undefined) {
        printResult(terminal, output, await auditLog(flags.rekorUrl, flags, command, session), describeHistory);
        return;
      }
      const dataDir = dataFolder(env, dataFlag(command));
      const paths = dataPaths(dataDir);
      requireDatabase(dataDir, dataFlag(command));
      const [rekor, ct] = await Promise.all([readPublicKey(paths.rekorPublicKey), readPublicKey(paths.ctPublicKey)]);
      const held = await heldByLogs(dataDir, { rekor, ct }, checkpoint, session);
      const spki = { type: 'spki', format: 'der' } as const;
      const trust = {
        rekorPublicKey: rekor.export(spki),
        ctPublicKey: ct.export(spki),
        ...(existsSync(paths.fulcioChain) ? { caCertificates: [readFileSync(paths.fulcioChain, 'latin1')] } : {}),
      };
      const { frozen, active } = verifyAll(dataDir, trust);
      for (const { file, reports } of frozen) {
        requireWhole(reports, { checked: file, trust: 'the keys of the logs that were frozen' });
      }
      requireWhole(active, { checked: paths.database, trust: `${paths.rekorPublicKey}, ${paths.ctPublicKey}` });
      readDatabase(dataDir, held);
      const logs = [...frozen.flatMap((one) => one.reports), ...active].map(({ problems: _, ...log }) => log);
      printResult(terminal, output, { ok: true, logs } satisfies LogVerifyResult, () =>
        describeLogs(logs, { terminal, wide }),
      );
    });
}

type Reports = readonly (LogVerifyResult['logs'][number] & { readonly problems: readonly string[] })[];

/** Every log of the data folder, those that were frozen first. @throws ServerError `server.data_folder_damaged` where one of them is gone */
function verifyAll(dataDir: string, trust: Parameters<typeof verifyLogs>[1]) {
  const opened: Database[] = [];
  try {
    return readDatabase(
      dataDir,
      (db) => {
        const restores = logsRestores(db);
        const found = openFrozenLogs(dataDir, restores, { readonly: true, opened: (one) => opened.push(one) });
        const frozen = found.frozen.map(({ file, db: old, logKey, ctKey, firstIndex, statement, origins }) => {
          const keys = { rekorPublicKey: logKey, ctPublicKey: ctKey, firstIndex, statement };
          const reports: Reports = verifyLogs(old, { ...trust, ...keys }).map((report) => {
            return { ...report, frozen_origin: origins[report.log] };
          });
          return { file, reports };
        });
        const { firstIndex } = found;
        const active: Reports = verifyLogs(db, { ...trust, firstIndex, statement: restores.at(-1)?.statement });
        return { frozen, active };
      },
      false,
    );
  } finally {
    for (const one of opened) one.close();
  }
}

/** @throws CliError `cli.log_invalid` */
function requireWhole(reports: Reports, facts: { readonly checked: string; readonly trust: string }): void {
  const issues = reports.flatMap((report) =>
    report.problems.map((message) => ({ path: report.log, code: 'cli.log_invalid', message })),
  );
  if (issues.length > 0) throw new CliError('cli.log_invalid', 'a log does not verify', { ...facts, issues });
}

const COLUMNS: readonly Column[] = [
  { heading: 'LOG', rank: 1 },
  { heading: 'ENTRIES', rank: 1 },
  { heading: 'CHECKPOINTS', rank: 1 },
  { heading: 'ROOT', rank: 2 },
  { heading: 'RESULT', rank: 1 },
];

function describeLogs(logs: LogVerifyResult['logs'], view: TableView): string {
  const rows = logs.map(({ log, frozen_origin, entry_count, head_count, root_hash }) => {
    return [
      frozen_origin === undefined ? log : `${log}, frozen: ${frozen_origin}`,
      String(entry_count),
      String(head_count),
      root_hash,
      'verified',
    ];
  });
  const checks = logs.flatMap(({ log, frozen_origin, checks }) =>
    checks.map(({ check, detail }) => [`${frozen_origin === undefined ? '' : 'frozen '}${log} log`, check, detail]),
  );
  return `${columnTable(COLUMNS, rows, view)}\nChecked:\n${formatTable(checks)}`;
}
