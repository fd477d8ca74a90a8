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
    term: 'verify [options]',
    description: 'read the logs of the data folder from end to end: every leaf, root and signed head',
    load: async () => (await import('./verify.ts')).defineVerify,
  },
];

/** `colophon log …`: entries of the transparency log. */
export function defineLog(log: Command, session: Session): void {
  addCommands(log, LOG_COMMANDS, session);
}
