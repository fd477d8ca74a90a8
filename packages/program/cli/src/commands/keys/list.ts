import { listRing } from '@colophon/keys';
import type { KeysListResult } from '@colophon/keys/result';
import type { Command } from 'commander';
import { type Column, columnTable, type WideFlag, wideOption } from '../../column-table/column-table.ts';
import { configOption } from '../../configuration/configuration-file.ts';
import { tokenKeysAtOnce } from '../../home/token-keys.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'KID', rank: 1 },
  { heading: 'STATE', rank: 1 },
  { heading: 'SIGNS FROM', rank: 2 },
  { heading: 'PUBLISHED UNTIL', rank: 3 },
  { heading: 'PUBLISHED', rank: 4 },
  { heading: 'REVOKED', rank: 5 },
  { heading: 'ALGORITHM', rank: 6 },
];

/** `colophon keys list`: what each key is now. Reads only. */
export function defineList(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon keys list'))
    .addOption(configOption())
    .addOption(outputOption())
    .addOption(wideOption())
    .action(({ output, wide }: { readonly output: OutputFormat } & WideFlag, command: Command) => {
      const { place } = tokenKeysAtOnce(command, session);
      const keys = listRing(place, Date.now()).map(({ file: _, kid, state, ...times }) => ({
        ...{ kid, state, algorithm: place.alg },
        ...times,
      }));
      printResult(session.terminal, output, { ok: true, keys } satisfies KeysListResult, () =>
        columnTable(COLUMNS, keys.map(rowOf), { terminal: session.terminal, wide }),
      );
    });
}

function rowOf(key: KeysListResult['keys'][number]): readonly string[] {
  const { kid, state, algorithm, published_at, signs_from, published_until, revoked_at } = key;
  return [kid, state, signs_from ?? '-', published_until ?? '-', published_at ?? '-', revoked_at ?? '-', algorithm];
}
