import { Scheduler } from '@colophon/remediation';
import { JobStore } from '@colophon/store';
import type { Command } from 'commander';
import type { Session } from '../program/program.ts';
import { openTriageDatabase } from '../triage-database/triage-database.ts';
import type { ScheduleFlags } from './schedule-flags.ts';
import { scheduleReporter } from './schedule-words.ts';
import { processOwner, type ScheduledWork, scheduledJobs } from './scheduled-jobs.ts';

/** A schedule in this process. */
export type RunningSchedule = {
  readonly names: readonly string[];
  /** Fulfilled once the session has ended and every lease is given back; rejects with what cannot pass by itself. */
  readonly ended: Promise<void>;
};

/**
 * Runs the jobs of this work in this process until the session ends, and tells people on standard error.
 * @throws what opening the database and naming the jobs throw
 */
export async function startSchedule(
  work: ScheduledWork,
  flags: ScheduleFlags,
  command: Command,
  session: Session,
): Promise<RunningSchedule> {
  const db = await openTriageDatabase(flags, command, session);
  try {
    const jobs = await scheduledJobs(work, flags, command, session, db);
    const store = await JobStore.open(db);
    const report = scheduleReporter(session.terminal);
    const scheduler = new Scheduler({ store, jobs, owner: processOwner(), report });
    return { names: jobs.map(({ name }) => name), ended: scheduler.run(session.signal).finally(() => db.close()) };
  } catch (error) {
    await db.close();
    throw error;
  }
}
