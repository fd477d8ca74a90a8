import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const REPORT_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'quarterly [options]',
    description: 'make the quarterly report from the remediation records, and write it with its evidence into a folder',
    load: async () => (await import('./quarterly.ts')).defineQuarterly,
  },
  {
    term: 'verify [options] <folder>',
    description: 'check files, signatures and figures of a report; exit 12 with every difference',
    load: async () => (await import('./verify.ts')).defineVerify,
  },
];

/** `colophon report …`: what was done, for auditors. */
export function defineReport(report: Command, session: Session): void {
  addCommands(report, REPORT_COMMANDS, session);
}
