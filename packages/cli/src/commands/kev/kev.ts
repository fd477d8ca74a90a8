import type { Command } from 'commander';
import type { Session } from '../../program/program.ts';

/** One subcommand of `colophon kev`. */
type KevCommand = (kev: Command, session: Session) => void;

/** In the order in which they are used. */
const KEV_COMMANDS: readonly KevCommand[] = [];

/** `colophon kev …` */
export function addKevCommands(program: Command, session: Session): void {
  const kev = program.command('kev').description('known-exploited catalogs: kept, compared, and put beside findings');
  for (const add of KEV_COMMANDS) add(kev, session);
}
