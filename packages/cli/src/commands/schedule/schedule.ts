import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const SCHEDULE_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'run [options]',
    description: 'run the jobs that are named when they are due, each on one of all replicas, until Ctrl-C',
    load: async () => (await import('./run.ts')).defineRun,
  },
  {
    term: 'list [options]',
    description: 'what is due when, who runs it, and how it went the last time',
    load: async () => (await import('./list.ts')).defineList,
  },
];

/** `colophon schedule …`: what is done again and again. */
export function defineSchedule(schedule: Command, session: Session): void {
  addCommands(schedule, SCHEDULE_COMMANDS, session);
}
