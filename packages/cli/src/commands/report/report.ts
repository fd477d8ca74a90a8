import type { Command } from 'commander';
import type { Session } from '../../program/program.ts';
import { addQuarterlyCommand } from './quarterly.ts';
import { addVerifyCommand } from './verify.ts';

/** One subcommand of `colophon report`. */
type ReportCommand = (report: Command, session: Session) => void;

/** In the order in which they are used. */
const REPORT_COMMANDS: readonly ReportCommand[] = [addQuarterlyCommand, addVerifyCommand];

/** `colophon report …` */
export function addReportCommands(program: Command, session: Session): void {
  const report = program.command('report').description('what was done in a period, for auditors');
  for (const add of REPORT_COMMANDS) add(report, session);
}
