import { setTimeout as pause } from 'node:timers/promises';
import type { JobStore } from '@colophon/store';

/** The time that all replicas share, and waiting. */
export type ScheduleClock = {
  /** Milliseconds since the epoch. */
  now(): Promise<number>;
  /** Fulfilled after so many milliseconds, or as soon as `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

/** A timer that is set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** By the clock of the database: replicas whose own clocks differ agree on what is due and whose lease is out. */
export function databaseClock(jobs: JobStore): ScheduleClock {
  return {
    now: () => jobs.now(),
    sleep: (ms, signal) => pause(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal }).catch(() => {}),
  };
}
