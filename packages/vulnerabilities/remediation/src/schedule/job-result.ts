import { alsoHaving, count, having, oneOf, type ResultOf, string, timestamp } from '@colophon/records/result';

const name = string('of the job, the same on every replica');
const nextRun = { next_run_at: { ...timestamp, description: 'not before this time' } } as const;

/** One run of a job. */
export const jobRun = alsoHaving(
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
export type JobRunResult = ResultOf<typeof jobRun>;

/** A job, and how it stands. */
export const scheduledJob = alsoHaving(
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
export type JobResult = ResultOf<typeof scheduledJob>;
