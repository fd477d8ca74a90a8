import type { JobRun } from '@colophon/remediation';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { exitCodeOf, type OutputFormat, printResult } from '../../report/report.ts';
import { type ScheduleFlags, withSchedule } from '../../schedule/schedule-flags.ts';
import { recordOfRun, scheduleReporter } from '../../schedule/schedule-words.ts';
import { processOwner, scheduledJobs, scheduledWork } from '../../schedule/scheduled-jobs.ts';
import { openTriageDatabase } from '../../triage-database/triage-database.ts';

type RunFlags = ScheduleFlags & { readonly once?: boolean; readonly output: OutputFormat };

/** `colophon schedule run`: the jobs of this database, on this replica or another, until Ctrl-C. */
export function addRunCommand(schedule: Command, session: Session): void {
  const run = schedule
    .command('run')
    .description('run the jobs that are named when they are due, each on one of all replicas, until Ctrl-C')
    .option('--once', 'run what is due now, and end: for a timer of the system');
  withSchedule(run)
    .addOption(outputOption())
    .action(async (flags: RunFlags, command: Command) => {
      const { terminal, signal } = session;
      if (flags.output === 'json' && !flags.once) {
        throw new CliError('cli.usage', 'a schedule that does not end has no result', EXIT.usage, {
          expected: '--once with --output json',
        });
      }
      const work = await scheduledWork(flags, session);
      session.holdInterrupts();
      const db = await openTriageDatabase(flags, command, session);
      try {
        const { JobStore } = await import('@colophon/store');
        const { Scheduler } = await import('@colophon/remediation');
        const jobs = await scheduledJobs(work, flags, command, session, db);
        const report = flags.output === 'json' ? undefined : scheduleReporter(terminal);
        const store = await JobStore.open(db);
        const scheduler = new Scheduler({ store, jobs, owner: processOwner(), ...(report && { report }) });
        if (flags.once) {
          printRuns(await scheduler.runDue(signal), flags.output, session);
          return;
        }
        for (const { name } of jobs) terminal.stderr.write(`scheduled  ${name}\n`);
        await scheduler.run(signal);
        terminal.stderr.write('stopped, and every lease given back\n');
        // Ended because it was asked to: that is success.
        session.setExitCode(EXIT.ok);
      } finally {
        await db.close();
      }
    });
}

function printRuns(runs: readonly JobRun[], format: OutputFormat, session: Session): void {
  const document = { runs: runs.map(recordOfRun) };
  // In words each was told when it ended.
  printResult(session.terminal, format, document, () => (runs.length === 0 ? 'nothing is due\n' : ''));
  const failed = runs.find(({ outcome }) => outcome !== 'done');
  if (failed === undefined || session.signal.aborted) return;
  session.setExitCode(failed.outcome === 'failed' ? exitCodeOf(failed.error) : EXIT.peerDown);
}
