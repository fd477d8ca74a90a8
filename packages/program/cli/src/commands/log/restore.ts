import { namespaceOf } from '@colophon/server/data-folder';
import { restoreLogs } from '@colophon/server/restore';
import type { Command } from 'commander';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable } from '../../terminal/terminal.ts';
import { restoring, withRestoring } from '../restoring.ts';
import type { LogRestoreResult } from './log-result.ts';

/** `colophon log restore`: freezes logs that must not go on, and begins others whose first entry says so. */
export function defineRestore(command: Command, session: Session): void {
  withRestoring(command, { what: 'why the logs are restored, for their first entry', place: 'log' })
    .addHelpText('after', example('colophon log restore --reason "disk lost, copy of 2026-11-20"'))
    .action(
      async (
        { reason = '', output }: { readonly reason?: string; readonly output: OutputFormat },
        command: Command,
      ) => {
        const { installation, ...place } = restoring(reason, command, session);
        const { predicateBase } = namespaceOf(installation);
        const result: LogRestoreResult = { ok: true, ...(await restoreLogs({ ...place, predicateBase })) };
        printResult(session.terminal, output, result, describe);
      },
    );
}

function describe({ transparency_origin, certificate_origin, log_index, restored }: LogRestoreResult): string {
  return formatTable([
    ['transparency log', transparency_origin],
    ['certificate log', certificate_origin],
    ['first entry', `${log_index}, which says why`],
    ...restored.flatMap(({ log, origin, pinned_size, kept_size }) => [
      ['frozen', `${log} log "${origin}"`],
      ['  signed before', `${pinned_size} entries, by the largest checkpoint that is known`],
      ['  kept', `${kept_size} entries`],
    ]),
    ['next', 'start the server; give trust/trusted_root.json to everybody who verifies'],
  ]);
}
