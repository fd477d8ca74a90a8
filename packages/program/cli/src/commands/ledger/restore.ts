import { restoreLedger } from '@colophon/server/restore';
import type { Command } from 'commander';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable } from '../../terminal/terminal.ts';
import { restoring, withRestoring } from '../restoring.ts';
import type { LedgerRestoreResult } from './restore-result.ts';

/** `colophon ledger restore`: freezes a ledger that must not go on, and begins another that says so. */
export function defineRestore(command: Command, session: Session): void {
  withRestoring(command, { what: 'why the ledger is restored, for its first row', place: 'ledger' })
    .addHelpText('after', example('colophon ledger restore --reason "disk lost, copy of 2026-11-20"'))
    .action(
      async (
        { reason = '', output }: { readonly reason?: string; readonly output: OutputFormat },
        command: Command,
      ) => {
        const restored = await restoreLedger(restoring(reason, command, session));
        const result: LedgerRestoreResult = { ok: true, ...restored };
        printResult(session.terminal, output, result, describe);
      },
    );
}

function describe({ origin, restored, last_kept_at }: LedgerRestoreResult): string {
  const table = formatTable([
    ['ledger', origin],
    ...restored.flatMap(({ origin: frozen, pinned_size, kept_size }) => [
      ['frozen', frozen],
      ['  signed before', `${pinned_size} rows, by the largest checkpoint that is known`],
      ['  kept', `${kept_size} rows`],
    ]),
    ['next', 'start the server; publish trust/ledger.pub and the next checkpoint'],
  ]);
  return `${table}${
    last_kept_at === null
      ? 'Nothing is left of agents’ names, API keys and revocations: create and revoke again what is to hold.\n'
      : `Agents’ names, API keys, revocations and token keys are as old as the copy, ${last_kept_at} or later: revoke and erase again what was revoked or erased since.\n`
  }`;
}
