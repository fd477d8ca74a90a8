import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const KEYS_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'list [options]',
    description: 'list every key that signs tokens, did, or is to',
    load: async () => (await import('./list.ts')).defineList,
  },
  {
    term: 'rotate [options]',
    description: 'make the next key: published now, signing when every cache knows it',
    load: async () => (await import('./rotate.ts')).defineRotate,
  },
  {
    term: 'revoke [options] <kid>',
    description: 'take a key out of use and out of the key set at once, and delete it',
    load: async () => (await import('./revoke.ts')).defineRevoke,
  },
];

/** `colophon keys …`: the keys that sign tokens, whether the server runs or not. */
export function defineKeys(keys: Command, session: Session): void {
  addCommands(keys, KEYS_COMMANDS, session);
}
