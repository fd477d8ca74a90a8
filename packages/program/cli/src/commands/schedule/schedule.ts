import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const SCHEDULE_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'run [options]',
    description: 'run the named jobs when they are due, each on one replica only, until Ctrl-C',
    load: async () => (await import('./run.ts')).defineRun,
  },
  {
    term: 'list [options]',
    description: 'list the jobs: when each is due, which replica runs it, its last result',
    load: async () => (await import('./list.ts')).defineList,
  },
];

/** `colophon schedule …`: what is done again and again. */
export function defineSchedule(schedule: Command, session: Session): void {
  addCommands(schedule, SCHEDULE_COMMANDS, session);
}
