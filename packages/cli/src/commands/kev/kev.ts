import type { Command } from 'commander';
import type { Session } from '../../program/program.ts';
import { addDiffCommand } from './diff.ts';
import { addEnrichCommand } from './enrich.ts';
import { addHistoryCommand } from './history.ts';
import { addShowCommand } from './show.ts';
import { addStatusCommand } from './status.ts';
import { addUpdateCommand } from './update.ts';

/** One subcommand of `colophon kev`. */
type KevCommand = (kev: Command, session: Session) => void;

/** In the order in which they are used. */
const KEV_COMMANDS: readonly KevCommand[] = [
  addUpdateCommand,
  addEnrichCommand,
  addStatusCommand,
  addShowCommand,
  addHistoryCommand,
  addDiffCommand,
];

/** `colophon kev …` */
export function addKevCommands(program: Command, session: Session): void {
  const kev = program.command('kev').description('known-exploited catalogs: kept, compared, and put beside findings');
  for (const add of KEV_COMMANDS) add(kev, session);
}
