import { type JobRow, JobStore } from '@colophon/store';
import type { Command } from 'commander';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
} from '../../column-table/column-table.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatSeconds } from '../../schedule/interval.ts';
import { timeOf } from '../../schedule/schedule-words.ts';
import { oneLine } from '../../terminal/terminal.ts';
import {
  openTriageDatabase,
  type TriageDatabaseFlags,
  withTriageDatabase,
} from '../../triage-database/triage-database.ts';

/** A job as scripts read it. Times are RFC 3339. */
type JobRecord = {
  readonly name: string;
  readonly state: 'due' | 'waiting' | 'running' | 'abandoned';
  readonly next_run_at: string;
  readonly held_by: string | null;
  readonly held_until: string | null;
  /** Runs that were begun since one was done. */
  readonly attempts: number;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly last_outcome: string | null;
  readonly last_message: string | null;
};

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
        const jobs = (await store.list()).map((row) => recordOf(row, now));
        printResult(session.terminal, flags.output, { jobs }, () =>
          describe(jobs, now, { terminal: session.terminal, wide: flags.wide }),
        );
      } finally {
        await db.close();
      }
    });
}

function recordOf(row: JobRow, now: number): JobRecord {
  const time = (ms: number | undefined) => (ms === undefined ? null : timeOf(ms));
  return {
    name: row.name,
    state: stateOf(row, now),
    next_run_at: timeOf(row.nextRunAt),
    held_by: row.leaseOwner ?? null,
    held_until: time(row.leaseUntil),
    attempts: row.attempts,
    started_at: time(row.startedAt),
    finished_at: time(row.finishedAt),
    last_outcome: row.lastOutcome ?? null,
    last_message: row.lastMessage ?? null,
  };
}

function stateOf({ leaseUntil, nextRunAt }: JobRow, now: number): JobRecord['state'] {
  if (leaseUntil !== undefined) return leaseUntil > now ? 'running' : 'abandoned';
  return nextRunAt <= now ? 'due' : 'waiting';
}

const COLUMNS: readonly Column[] = [
  { heading: 'JOB', rank: 1, shortest: 20 },
  { heading: 'STATE', rank: 1 },
  { heading: 'NEXT RUN', rank: 1 },
  { heading: 'HELD BY', rank: 3 },
  { heading: 'LAST', rank: 2 },
];

function describe(jobs: readonly JobRecord[], now: number, view: TableView): string {
  if (jobs.length === 0) return 'nothing was ever scheduled\n';
  const rows = jobs.map((job) => [job.name, job.state, nextOf(job, now), job.held_by ?? '-', lastOf(job)]);
  const said = jobs.flatMap(({ name, last_message }) => (last_message ? [`${name}: ${last_message}`] : []));
  return `${columnTable(COLUMNS, rows, view)}${said.length === 0 ? '' : '\n'}${said.map((line) => `${oneLine(line)}\n`).join('')}`;
}

function nextOf({ state, next_run_at }: JobRecord, now: number): string {
  if (state !== 'waiting') return state === 'running' ? '-' : 'now';
  return `in ${formatSeconds((Date.parse(next_run_at) - now) / 1000)}`;
}

function lastOf({ last_outcome, finished_at, attempts }: JobRecord): string {
  if (last_outcome === null) return '-';
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  return `${last_outcome}${finished_at === null ? '' : ` ${finished_at}`}${tries}`;
}
