import { listCallers } from '@colophon/issuer';
import type { CallerListResult, ShownCaller } from '@colophon/issuer/result';
import type { Command } from 'commander';
import { callerPlaceAtOnce, readCallers } from '../../callers/caller-place.ts';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
} from '../../column-table/column-table.ts';
import { configOption } from '../../configuration/configuration-file.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';

/** `colophon callers list`. Reads only. */
export function defineList(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon callers list'));
  command
    .addOption(configOption())
    .addOption(outputOption())
    .addOption(wideOption())
    .action(({ output, wide }: { readonly output: OutputFormat } & WideFlag, command: Command) => {
      const place = callerPlaceAtOnce(command, session);
      const callers = readCallers(place, (db) =>
        listCallers(db, Math.floor(Date.now() / 1000), place.configured ?? []),
      );
      printResult(session.terminal, output, { ok: true, callers } satisfies CallerListResult, () =>
        describe(callers, { terminal: session.terminal, wide }),
      );
    });
}

const COLUMNS: readonly Column[] = [
  { heading: 'CALLER', rank: 1, shortest: 20 },
  { heading: 'STATE', rank: 1 },
  { heading: 'ACTIVE KEYS', rank: 2 },
  { heading: 'KEYS', rank: 3 },
  { heading: 'LAST USE', rank: 2 },
];

function describe(callers: readonly ShownCaller[], view: TableView): string {
  if (callers.length === 0) return 'no caller has a key, and none was revoked\n';
  const rows = callers.map((one) => [
    one.caller,
    one.revoked_at === null ? 'admitted' : `revoked ${one.revoked_at}`,
    String(one.active_key_count),
    String(one.key_count),
    one.last_used_at ?? '-',
  ]);
  return columnTable(COLUMNS, rows, view);
}
