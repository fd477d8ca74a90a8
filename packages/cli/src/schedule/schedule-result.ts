import {
  alsoHaving,
  count,
  having,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';

const name = string('of the job, the same on every replica');
const nextRun = { next_run_at: { ...timestamp, description: 'not before this time' } } as const;

const run = alsoHaving(
  having('one run of a job', {
    name,
    outcome: oneOf(
      'how it ended: `released` where the process was ended first, `lost` where another replica has the job now',
      ['done', 'failed', 'released', 'lost', 'unrecorded'],
    ),
    message: string('what the job says of it, on one line'),
    started_at: timestamp,
    ended_at: timestamp,
  }),
  nextRun,
);
export type JobRunResult = ResultOf<typeof run>;

/** `colophon schedule run --once`. */
export const scheduleRunResult = resultOf('the jobs that were due', { runs: listOf('one run of each', run) });
export type ScheduleRunResult = ResultOf<typeof scheduleRunResult>;

const job = alsoHaving(
  having('a job', {
    name,
    state: oneOf('`abandoned` where its owner let the lease run out', ['due', 'waiting', 'running', 'abandoned']),
    ...nextRun,
    attempt_count: { ...count, description: 'runs that were begun since one was done' },
  }),
  {
    held_by: string('the process that runs it'),
    lease_ends_at: { ...timestamp, description: 'until when no other process may run it' },
    started_at: timestamp,
    ended_at: timestamp,
    last_outcome: oneOf('how the last run ended', ['done', 'failed', 'abandoned']),
    last_message: string('what the last run said of itself, on one line'),
  },
);
export type JobResult = ResultOf<typeof job>;

/** `colophon schedule list`. */
export const scheduleListResult = resultOf('every job that was ever scheduled', { jobs: listOf('each job', job) });
export type ScheduleListResult = ResultOf<typeof scheduleListResult>;
