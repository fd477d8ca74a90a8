import { type JobLease, type JobStore, StoreError } from '@colophon/store';
import { backoffMs } from './backoff.ts';
import { type Job, type JobRun, messageOf } from './job.ts';
import type { ScheduleClock } from './schedule-clock.ts';

/** How long work that was told to end has for it, milliseconds. */
const GRACE_MS = 10_000;
/** Between two attempts to record how a run ended, milliseconds. */
const RECORD_RETRY_MS = 2_000;

export type LeasedRunOptions = {
  readonly jobs: JobStore;
  readonly clock: ScheduleClock;
  readonly leaseSeconds: number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Ends the run: the lease is given back. */
  readonly signal: AbortSignal;
};

/** Why work was ended before it ended itself. */
type Ending = 'stopped' | 'lost' | 'timeout';
type Settled = { readonly ok: true; readonly message: string } | { readonly ok: false; readonly error: unknown };

/**
 * Runs a job under its lease, which is renewed meanwhile, and records how it ended. Work whose lease is lost, or that
 * takes longer than it may, is aborted. Never rejects.
 */
export async function runLeased(job: Job, lease: JobLease, options: LeasedRunOptions): Promise<JobRun> {
  const { clock, signal } = options;
  const work = new AbortController();
  const over = new AbortController();
  const ended = Promise.withResolvers<Ending>();
  let ending: Ending | undefined;
  const end = (why: Ending) => {
    ending ??= why;
    ended.resolve(why);
    work.abort(new Error(`the run of ${job.name} was ended: ${why}`));
  };
  const onStop = () => end('stopped');
  signal.addEventListener('abort', onStop, { once: true });
  if (signal.aborted) onStop();
  const renewing = keepLease(lease, options, over.signal).then((isLost) => isLost && end('lost'));
  const timing = clock.sleep(job.timeoutSeconds * 1000, over.signal).then(() => over.signal.aborted || end('timeout'));

  const working = work.signal.aborted ? Promise.resolve(notBegun(work.signal)) : settled(job, work.signal);
  const inTime = ended.promise.then(() => clock.sleep(GRACE_MS, over.signal));
  const result = (await Promise.race([working, inTime])) ?? notBegun(work.signal);
  over.abort();
  signal.removeEventListener('abort', onStop);
  // A renewal that is under way ends before the lease does.
  await Promise.all([renewing, timing]);
  return record(job, lease, result, ending, options);
}

async function settled(job: Job, signal: AbortSignal): Promise<Settled> {
  try {
    return { ok: true, message: messageOf(await job.run(signal)) };
  } catch (error) {
    return { ok: false, error };
  }
}

function notBegun({ reason }: AbortSignal): Settled {
  return { ok: false, error: reason };
}

/** Renews the lease three times in its length until `over`; answers true once it is lost. */
async function keepLease(
  first: JobLease,
  { jobs, clock, leaseSeconds }: LeasedRunOptions,
  over: AbortSignal,
): Promise<boolean> {
  const interval = (leaseSeconds * 1000) / 3;
  let lease = first;
  // Counted, and not read from a clock: without the database there is no clock that others go by.
  let sinceRenewal = 0;
  for (;;) {
    await clock.sleep(interval, over);
    if (over.aborted) return false;
    sinceRenewal += interval;
    try {
      lease = await jobs.renew(lease, { now: await clock.now(), leaseSeconds });
      sinceRenewal = 0;
    } catch (error) {
      if (codeOf(error) === 'store.conflict') return true;
      // The next attempt would come when somebody else may have the lease already.
      if (sinceRenewal + interval >= leaseSeconds * 1000) return true;
    }
  }
}

async function record(
  job: Job,
  lease: JobLease,
  result: Settled,
  ending: Ending | undefined,
  options: LeasedRunOptions,
): Promise<JobRun> {
  const { jobs, clock, leaseSeconds, random, signal } = options;
  const { name, startedAt } = lease;
  const isReleased = !result.ok && ending === 'stopped';
  const message = sentenceOf(job, result, ending);
  const thrown = result.ok ? {} : { error: result.error };
  let run: JobRun = { name, startedAt, endedAt: startedAt, outcome: 'unrecorded', message, ...thrown };
  if (!result.ok && ending === 'lost') return { ...run, outcome: 'lost' };
  let isMaybeWritten = false;
  for (let waited = 0; ; waited += RECORD_RETRY_MS) {
    try {
      const now = await clock.now();
      run = { ...run, endedAt: now };
      if (isReleased) {
        await jobs.release(lease);
        return { ...run, outcome: 'released' };
      }
      // A clock that went back must not bring the next run nearer to this one.
      const latest = Math.max(now, startedAt);
      const nextRunAt = result.ok
        ? Math.max(latest, startedAt + job.everySeconds * 1000)
        : latest + backoffMs(lease.attempts, job.everySeconds, random());
      const outcome = result.ok ? 'done' : 'failed';
      await jobs.finish(lease, { outcome, message, now, nextRunAt });
      return { ...run, outcome, nextRunAt };
    } catch (error) {
      const code = codeOf(error);
      if (code === 'store.conflict') return { ...run, outcome: isMaybeWritten && result.ok ? 'done' : 'lost' };
      isMaybeWritten ||= code === 'store.outcome_unknown';
      // Once the lease is out somebody else will run it; and who ends the program does not wait for a database.
      if (waited >= leaseSeconds * 1000 || signal.aborted)
        return { ...run, message: `${message} (${messageOf(error)})` };
    }
    await clock.sleep(RECORD_RETRY_MS, signal);
  }
}

function sentenceOf(job: Job, result: Settled, ending: Ending | undefined): string {
  if (result.ok) return result.message;
  if (ending === 'stopped') return 'ended before it was done';
  if (ending === 'lost') return 'the lease was lost, so that another replica may run it';
  if (ending === 'timeout') return `did not end within ${job.timeoutSeconds} s`;
  return messageOf(result.error);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof StoreError ? error.code : undefined;
}
