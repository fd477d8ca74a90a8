import { restoreLedger } from '@colophon/server/restore';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { configOption } from '../../configuration/configuration-file.ts';
import { issuerPlace } from '../../configuration/issuer-place.ts';
import { pinsFolder } from '../../home/home.ts';
import { startedInstallation } from '../../home/started-installation.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable } from '../../terminal/terminal.ts';
import type { LedgerRestoreResult } from './restore-result.ts';

/** Characters of a reason: it is one member of one row. */
const MOST_REASON_LENGTH = 1_000;

/** `colophon ledger restore`: freezes a ledger that must not go on, and begins another that says so. */
export function defineRestore(command: Command, session: Session): void {
  withNeeds(command, { what: 'why the ledger is restored, for its first row', oneOf: ['--reason'] })
    .addHelpText('after', example('colophon ledger restore --reason "disk lost, copy of 2026-11-20"'))
    .option('--reason <text>', 'why; it stands in the ledger for ever, for everybody to read')
    .addOption(configOption())
    .addOption(outputOption())
    .action(
      async (
        { reason = '', output }: { readonly reason?: string; readonly output: OutputFormat },
        command: Command,
      ) => {
        if (reason.trim() === '' || reason.length > MOST_REASON_LENGTH) {
          throw new CliError('cli.usage', 'a reason is a text', {
            checked: '--reason',
            expected: `1 to ${MOST_REASON_LENGTH} characters`,
            found: `${reason.length}`,
          });
        }
        const place = issuerPlace(command, session);
        const { issuer_url: issuerUrl } = startedInstallation(place.dataDir, place.data);
        const { origin, restored } = await restoreLedger({
          dataDir: place.dataDir,
          issuerUrl,
          pinsFolder: place.configuration?.fixed.pinsFolder ?? pinsFolder(session.env),
          reason,
        });
        const result: LedgerRestoreResult = { ok: true, origin, restored };
        printResult(session.terminal, output, result, describe);
      },
    );
}

function describe({ origin, restored }: LedgerRestoreResult): string {
  return formatTable([
    ['ledger', origin],
    ...restored.flatMap(({ origin: frozen, pinned_size, kept_size }) => [
      ['frozen', frozen],
      ['  signed before', `${pinned_size} rows, by the largest checkpoint that is known`],
      ['  kept', `${kept_size} rows`],
    ]),
    ['next', 'start the server; publish trust/ledger.pub and the next checkpoint'],
  ]);
}
