import { shownJob } from '@colophon/remediation';
import { JobStore } from '@colophon/store';
import type { Command } from 'commander';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
  widthOf,
} from '../../column-table/column-table.ts';
import { wrapLine } from '../../column-table/wrapped-lines.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatSeconds } from '../../schedule/interval.ts';
import type { ScheduleListResult } from '../../schedule/schedule-result.ts';
import { oneLine } from '../../terminal/terminal.ts';
import {
  openTriageDatabase,
  type TriageDatabaseFlags,
  withTriageDatabase,
} from '../../triage-database/triage-database.ts';

type JobResult = ScheduleListResult['jobs'][number];

/** `colophon schedule list`: what is due, who has it, and how it went. */
export function defineList(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon schedule list'));
  withTriageDatabase(command)
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (flags: TriageDatabaseFlags & { readonly output: OutputFormat } & WideFlag, command: Command) => {
      const next = 'colophon schedule run --help';
      const db = await openTriageDatabase(flags, command, session, { mustExist: true, next });
      try {
        const store = await JobStore.open(db);
        const now = await store.now();
        const jobs = (await store.list()).map((row) => shownJob(row, now));
        printResult(session.terminal, flags.output, { ok: true, jobs } satisfies ScheduleListResult, () =>
          describe(jobs, now, { terminal: session.terminal, wide: flags.wide }),
        );
      } finally {
        await db.close();
      }
    });
}

const COLUMNS: readonly Column[] = [
  { heading: 'JOB', rank: 1, shortest: 20 },
  { heading: 'STATE', rank: 1 },
  { heading: 'NEXT RUN', rank: 1 },
  { heading: 'HELD BY', rank: 3 },
  { heading: 'LAST', rank: 2 },
];

function describe(jobs: readonly JobResult[], now: number, view: TableView): string {
  if (jobs.length === 0) return 'nothing was ever scheduled\n';
  const rows = jobs.map((job) => [job.name, job.state, nextOf(job, now), job.held_by ?? '-', lastOf(job)]);
  const said = jobs.flatMap(({ name, last_message }) => (last_message ? [`${name}: ${last_message}`] : []));
  return `${columnTable(COLUMNS, rows, view)}${said.length === 0 ? '' : '\n'}${said.map((line) => `${wrapLine(oneLine(line), widthOf(view))}\n`).join('')}`;
}

function nextOf({ state, next_run_at }: JobResult, now: number): string {
  if (state !== 'waiting') return state === 'running' ? '-' : 'now';
  return `in ${formatSeconds((Date.parse(next_run_at) - now) / 1000)}`;
}

function lastOf({ last_outcome, ended_at, attempt_count }: JobResult): string {
  if (last_outcome === undefined) return '-';
  const tries = attempt_count > 1 ? `, ${attempt_count} attempts` : '';
  return `${last_outcome}${ended_at === undefined ? '' : ` ${ended_at}`}${tries}`;
}
