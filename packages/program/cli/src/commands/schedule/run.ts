import { Scheduler, shownJobRun } from '@colophon/remediation';
import { JobStore } from '@colophon/store';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { exitCodeOf, type OutputFormat, printResult } from '../../report/report.ts';
import { startSchedule } from '../../schedule/running-schedule.ts';
import { FEED_VARIABLE, type ScheduleFlags, withSchedule } from '../../schedule/schedule-flags.ts';
import type { ScheduleRunResult } from '../../schedule/schedule-result.ts';
import { scheduleReporter } from '../../schedule/schedule-words.ts';
import { processOwner, type ScheduledWork, scheduledJobs, scheduledWork } from '../../schedule/scheduled-jobs.ts';
import { oneLine } from '../../terminal/terminal.ts';
import { openTriageDatabase } from '../../triage-database/triage-database.ts';

type RunFlags = ScheduleFlags & { readonly once?: boolean; readonly output: OutputFormat };

/** `colophon schedule run`: the jobs of this database, on this replica or another, until Ctrl-C. */
export function defineRun(command: Command, session: Session): void {
  withNeeds(command, { what: 'what is run', oneOf: ['--kev', '--rescan', `$${FEED_VARIABLE}`] })
    .addHelpText(
      'after',
      example(
        'colophon schedule run --once --kev known_exploited_vulnerabilities.json',
        'colophon schedule run --rescan ./sboms --scanner grype --every 12h',
      ),
    )
    .option('--once', 'run the jobs that are due now, then exit: for cron or a systemd timer');
  withSchedule(command)
    .addOption(outputOption())
    .action(async (flags: RunFlags, command: Command) => {
      if (flags.output === 'json' && !flags.once) {
        throw new CliError('cli.usage', 'a schedule that does not end has no result', {
          expected: '--once with --output json',
        });
      }
      const work = await scheduledWork(flags, session);
      session.holdInterrupts();
      if (flags.once) return runOnce(work, flags, command, session);
      const { names, ended } = await startSchedule(work, flags, command, session);
      const { terminal } = session;
      for (const name of names) terminal.stderr.write(`scheduled  ${oneLine(name)}\n`);
      await ended;
      terminal.stderr.write('stopped, and every lease given back\n');
      // Ended because it was asked to: that is success.
      session.setExitCode(EXIT.ok);
    });
}

async function runOnce(work: ScheduledWork, flags: RunFlags, command: Command, session: Session): Promise<void> {
  const { terminal, signal } = session;
  const db = await openTriageDatabase(flags, command, session);
  try {
    const jobs = await scheduledJobs(work, flags, command, session, db);
    // In words each run is told when it ends.
    const report = flags.output === 'json' ? {} : { report: scheduleReporter(terminal) };
    const scheduler = new Scheduler({ store: await JobStore.open(db), jobs, owner: processOwner(), ...report });
    const runs = await scheduler.runDue(signal);
    const failed = runs.find(({ outcome }) => outcome !== 'done');
    const isDone = failed === undefined && !signal.aborted;
    const result: ScheduleRunResult = { ok: isDone, runs: runs.map(shownJobRun) };
    printResult(terminal, flags.output, result, () =>
      runs.length === 0 ? 'nothing is due: colophon schedule list says when\n' : '',
    );
    if (failed === undefined || signal.aborted) return;
    session.setExitCode(failed.outcome === 'failed' ? exitCodeOf(failed.error) : EXIT.peerDown);
  } finally {
    await db.close();
  }
}
