import { type JobRow, type JobStore, StoreError } from '@colophon/store';
import type { Job, JobRun } from './job.ts';
import { runLeased } from './leased-run.ts';
import { databaseClock, type ScheduleClock } from './schedule-clock.ts';

/** How long a lease lasts unless it is renewed, which it is three times as often. */
export const DEFAULT_LEASE_SECONDS = 120;
/** A lease is for minutes: one that reaches further than this was taken while the clock was ahead. Milliseconds. */
const LONGEST_LEASE_MS = 24 * 3600 * 1000;
/** The longest wait before the table is looked at again, milliseconds: another replica may have changed it. */
const LONGEST_WAIT_MS = 15_000;
const SHORTEST_WAIT_MS = 250;

/** What a scheduler tells of itself. */
export type ScheduleEvent =
  | { readonly type: 'started'; readonly name: string; readonly attempt: number }
  | { readonly type: 'ended'; readonly run: JobRun }
  /** The database cannot be asked now; it is asked again. */
  | { readonly type: 'trouble'; readonly error: StoreError };

export type SchedulerOptions = {
  readonly store: JobStore;
  readonly jobs: readonly Job[];
  /** One word for this process that no other has. */
  readonly owner: string;
  readonly leaseSeconds?: number;
  /** Default: the database's. */
  readonly clock?: ScheduleClock;
  /** From 0 to below 1. */
  readonly random?: () => number;
  readonly report?: (event: ScheduleEvent) => void;
};

/** Runs jobs when they are due, and none that another replica runs; a time that was missed is made up for once. */
export class Scheduler {
  readonly #store: JobStore;
  readonly #jobs: ReadonlyMap<string, Job>;
  readonly #owner: string;
  readonly #leaseSeconds: number;
  readonly #clock: ScheduleClock;
  readonly #random: () => number;
  readonly #report: (event: ScheduleEvent) => void;

  constructor(options: SchedulerOptions) {
    this.#store = options.store;
    this.#jobs = new Map(options.jobs.map((job) => [job.name, job]));
    if (this.#jobs.size !== options.jobs.length) throw new TypeError('two jobs have the same name');
    this.#owner = options.owner;
    this.#leaseSeconds = options.leaseSeconds ?? DEFAULT_LEASE_SECONDS;
    this.#clock = options.clock ?? databaseClock(options.store);
    this.#random = options.random ?? Math.random;
    this.#report = options.report ?? (() => {});
  }

  /**
   * Runs every job that is due now, once, and answers with how each ended. One that another replica runs is left out.
   * @throws StoreError where the database cannot be asked
   */
  async runDue(signal: AbortSignal): Promise<readonly JobRun[]> {
    await this.#plan();
    const runs: Promise<JobRun>[] = [];
    try {
      await this.#begin(signal, (run) => runs.push(run));
    } finally {
      await Promise.all(runs);
    }
    return Promise.all(runs);
  }

  /**
   * Runs jobs as they become due until `signal` aborts; then what runs is ended and its leases given back.
   * @throws StoreError where the database is of a newer program or lets nobody in: that does not pass
   */
  async run(signal: AbortSignal): Promise<void> {
    const running = new Set<Promise<unknown>>();
    let isPlanned = false;
    try {
      while (!signal.aborted) {
        let wait = LONGEST_WAIT_MS;
        try {
          if (!isPlanned) await this.#plan();
          isPlanned = true;
          await this.#begin(signal, (run) => {
            const tracked: Promise<unknown> = run.finally(() => running.delete(tracked));
            running.add(tracked);
          });
          wait = this.#waitOf(await this.#store.list(), await this.#clock.now());
        } catch (error) {
          if (!isPassing(error)) throw error;
          this.#report({ type: 'trouble', error });
        }
        await this.#clock.sleep(wait, signal);
      }
    } finally {
      await Promise.all(running);
    }
  }

  async #plan(): Promise<void> {
    const now = await this.#clock.now();
    for (const { name, everySeconds } of this.#jobs.values()) {
      const notAfter = now + everySeconds * 1000;
      await this.#store.plan(name, { firstRunAt: now, notAfter, leaseNotAfter: now + LONGEST_LEASE_MS });
    }
  }

  /** Takes every lease that can be had, and begins. */
  async #begin(signal: AbortSignal, onBegun: (run: Promise<JobRun>) => void): Promise<void> {
    const [names, leaseSeconds] = [[...this.#jobs.keys()], this.#leaseSeconds];
    while (!signal.aborted) {
      const now = await this.#clock.now();
      const lease = await this.#store.lease({ names, owner: this.#owner, now, leaseSeconds });
      const job = lease && this.#jobs.get(lease.name);
      if (lease === undefined || job === undefined) return;
      this.#report({ type: 'started', name: job.name, attempt: lease.attempts });
      const options = { jobs: this.#store, clock: this.#clock, leaseSeconds, random: this.#random, signal };
      onBegun(
        runLeased(job, lease, options).then((run) => {
          this.#report({ type: 'ended', run });
          return run;
        }),
      );
    }
  }

  /** Until the next job is due, or its lease is out. */
  #waitOf(rows: readonly JobRow[], now: number): number {
    const times = rows
      .filter(({ name }) => this.#jobs.has(name))
      .map(({ nextRunAt, leaseUntil = 0 }) => Math.max(nextRunAt, leaseUntil) - now);
    // By chance a little later, so that replicas do not ask at the same moment.
    return Math.max(SHORTEST_WAIT_MS, Math.min(LONGEST_WAIT_MS, ...times)) * (1 + this.#random() / 10);
  }
}

function isPassing(error: unknown): error is StoreError {
  return (
    error instanceof StoreError && ['store.unavailable', 'store.outcome_unknown', 'store.conflict'].includes(error.code)
  );
}
