import { userInfo } from 'node:os';
import { eraseToken } from '@colophon/issuer';
import { evidenceOfToken } from '@colophon/store';
import type { Command } from 'commander';
import { entriesOfAllLogs } from '../../database/entries-of-all-logs.ts';
import { withFrozenLedgers } from '../../database/frozen-ledgers.ts';
import { changeLedger } from '../../database/ledger-change.ts';
import { dataFolder } from '../../home/home.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { counted, formatTable, oneLine } from '../../terminal/terminal.ts';
import type { LedgerEraseResult } from './ledger-erase-result.ts';

type Flags = { readonly reason: string; readonly output: OutputFormat };

/** `colophon ledger erase`: drops what a row holds of people, for ever, and tells where it still stands. */
export function defineErase(command: Command, { terminal, env }: Session): void {
  command.addHelpText('after', example("colophon ledger erase JTI --reason 'ticket 4711'"));
  command
    .requiredOption('--reason <text>', 'why; it stays in the ledger, so it must not repeat what is erased')
    .addOption(outputOption())
    .action(async (jti: string, { reason, output }: Flags, command: Command) => {
      const data = dataFlag(command);
      const dataDir = dataFolder(env, data);
      const erased = await changeLedger(dataDir, data, async (db) => {
        // Read first: a file that cannot be read to its end is not erased from.
        const remaining = { ...entriesOfAllLogs(db, dataDir, jti), evidence: evidenceOfToken(db, jti) };
        return withFrozenLedgers({ db, dataDir, data }, async (frozen) => {
          return { ...(await eraseToken(db, jti, { reason, erasedBy: account(), frozen })), ...remaining };
        });
      });
      printResult(terminal, output, { ok: true, ...erased } satisfies LedgerEraseResult, describeErasure);
    });
}

function describeErasure({ jti, leaf_index, erased, certificates, log_entries, evidence }: LedgerEraseResult): string {
  const rows = [
    ['erased', `${jti}, leaf ${leaf_index}`],
    ['reason', oneLine(erased.reason)],
    ['by', oneLine(erased.erased_by)],
    ...certificates.map(({ log_index, serial, logged_at }) => [
      'still certified',
      `certificate log entry ${log_index}, serial ${serial}, ${logged_at}`,
    ]),
    ...log_entries.map(({ log_index, uuid }) => ['still logged', `transparency log entry ${log_index}, ${uuid}`]),
    ...evidence.map((bundle) => ['still evidence', `bundle sha256:${bundle}`]),
  ];
  const count = certificates.length + log_entries.length + evidence.length;
  const rest =
    count === 0
      ? 'No certificate of this data folder names the token.'
      : `${counted(count, 'place')} of this data folder named above still have what was certified.`;
  return `${formatTable(rows)}${rest} Logs of others, backups and exports are not looked at.\n`;
}

/** Without an entry in the system's list of accounts there is no name, only a number. */
function account(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
