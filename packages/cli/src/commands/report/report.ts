import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const REPORT_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'quarterly [options]',
    description: 'count the quarter out of the remediation records, and put the report and what it names into a folder',
    load: async () => (await import('./quarterly.ts')).defineQuarterly,
  },
  {
    term: 'verify [options] <folder>',
    description: 'check the files, the signatures and the figures of a report; exit 12 and what differs',
    load: async () => (await import('./verify.ts')).defineVerify,
  },
];

/** `colophon report …`: what was done, for auditors. */
export function defineReport(report: Command, session: Session): void {
  addCommands(report, REPORT_COMMANDS, session);
}
