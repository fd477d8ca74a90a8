import type { Command } from 'commander';
import type { Session } from '../../program/program.ts';
import { addListCommand } from './list.ts';
import { addRunCommand } from './run.ts';

/** `colophon schedule …` */
export function addScheduleCommands(program: Command, session: Session): void {
  const schedule = program
    .command('schedule')
    .description('what is done again and again: refresh the known-exploited catalog, re-scan published SBOMs');
  addRunCommand(schedule, session);
  addListCommand(schedule, session);
}
