import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const LOG_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'search [options]',
    description: 'find the entries about an artifact, by its SHA-256',
    load: async () => (await import('./entries.ts')).defineSearch,
  },
  {
    term: 'get [options]',
    description: 'one entry, by its index or its id, with its proof checked',
    load: async () => (await import('./entries.ts')).defineGet,
  },
  {
    term: 'checkpoint [options]',
    description: 'print the newest checkpoint of a log, to be kept where the log cannot reach it',
    load: async () => (await import('./history.ts')).defineCheckpoint,
  },
  {
    term: 'verify [options]',
    description: 'read the data folder’s logs from end to end; or have a log prove that nothing was removed since',
    load: async () => (await import('./verify.ts')).defineVerify,
  },
  {
    term: 'restore [options]',
    description: 'freeze logs that must not go on, and begin others whose first entry says why',
    load: async () => (await import('./restore.ts')).defineRestore,
  },
];

/** `colophon log …`: entries of the transparency log. */
export function defineLog(log: Command, session: Session): void {
  addCommands(log, LOG_COMMANDS, session);
}
