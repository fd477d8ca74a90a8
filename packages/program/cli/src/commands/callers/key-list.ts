import { listKeys } from '@colophon/issuer';
import type { ApiKeyListResult, ShownApiKey } from '@colophon/issuer/result';
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

type Flags = { readonly output: OutputFormat } & WideFlag;

/** `colophon callers key list`: of all callers or of one. Reads only. */
export function defineKeyList(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon callers key list', 'colophon callers key list release-bot'));
  command
    .addOption(configOption())
    .addOption(outputOption())
    .addOption(wideOption())
    .action((name: string | undefined, { output, wide }: Flags, command: Command) => {
      const now = Math.floor(Date.now() / 1000);
      const keys = readCallers(callerPlaceAtOnce(command, session), (db) => listKeys(db, now, name));
      printResult(session.terminal, output, { ok: true, keys } satisfies ApiKeyListResult, () =>
        describe(keys, { terminal: session.terminal, wide }),
      );
    });
}

const COLUMNS: readonly Column[] = [
  { heading: 'KEY ID', rank: 1 },
  { heading: 'CALLER', rank: 1, shortest: 12 },
  { heading: 'STATE', rank: 1 },
  { heading: 'EXPIRES', rank: 2 },
  { heading: 'LAST USE', rank: 3 },
  { heading: 'CREATED', rank: 4 },
];

function describe(keys: readonly ShownApiKey[], view: TableView): string {
  if (keys.length === 0) return 'no API key was created\n';
  const rows = keys.map((key) => [
    key.key_id,
    key.caller,
    key.state,
    key.expires_at,
    key.last_used_at ?? '-',
    key.created_at,
  ]);
  return columnTable(COLUMNS, rows, view);
}
