import type { JobRow } from '@colophon/store';
import type { JobRun } from './job.ts';
import type { JobResult, JobRunResult } from './job-result.ts';

/** A run as results show it. */
export function shownJobRun({ name, outcome, message, startedAt, endedAt, nextRunAt }: JobRun): JobRunResult {
  return {
    name,
    outcome,
    message,
    started_at: jobTime(startedAt),
    ended_at: jobTime(endedAt),
    ...(nextRunAt !== undefined && { next_run_at: jobTime(nextRunAt) }),
  };
}

/**
 * A job as results show it.
 * @param now by the clock of its store, in milliseconds
 */
export function shownJob(row: JobRow, now: number): JobResult {
  const { leaseOwner, leaseUntil, startedAt, finishedAt, lastOutcome, lastMessage } = row;
  return {
    name: row.name,
    state: stateOf(row, now),
    next_run_at: jobTime(row.nextRunAt),
    attempt_count: row.attempts,
    ...(leaseOwner !== undefined && { held_by: leaseOwner }),
    ...(leaseUntil !== undefined && { lease_ends_at: jobTime(leaseUntil) }),
    ...(startedAt !== undefined && { started_at: jobTime(startedAt) }),
    ...(finishedAt !== undefined && { ended_at: jobTime(finishedAt) }),
    ...(lastOutcome !== undefined && { last_outcome: lastOutcome }),
    ...(lastMessage !== undefined && { last_message: lastMessage }),
  };
}

function stateOf({ leaseUntil, nextRunAt }: JobRow, now: number): JobResult['state'] {
  if (leaseUntil !== undefined) return leaseUntil > now ? 'running' : 'abandoned';
  return nextRunAt <= now ? 'due' : 'waiting';
}

/** A time of a job, in milliseconds, as RFC 3339 in whole seconds. */
export function jobTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
