import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const KEY_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'create [options] <name>',
    description: 'create an API key for a caller and print it, once',
    load: async () => (await import('./key-create.ts')).defineKeyCreate,
  },
  {
    term: 'list [options] [name]',
    description: 'list API keys without their secrets: state, expiry, last use',
    load: async () => (await import('./key-list.ts')).defineKeyList,
  },
  {
    term: 'revoke [options] <key-id>',
    description: 'revoke one API key, at once and for good',
    load: async () => (await import('./revoke.ts')).defineKeyRevoke,
  },
];

/** `colophon callers key …`: API keys. */
export function defineKey(key: Command, session: Session): void {
  addCommands(key, KEY_COMMANDS, session);
}
