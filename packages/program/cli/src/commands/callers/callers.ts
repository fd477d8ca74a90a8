import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const CALLERS_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'list [options]',
    description: 'list the callers that have keys or were revoked',
    load: async () => (await import('./list.ts')).defineList,
  },
  {
    term: 'revoke [options] <name-or-key-id>',
    description: 'revoke a caller with all of its credentials, or one API key, at once and for good',
    load: async () => (await import('./revoke.ts')).defineRevoke,
  },
  {
    term: 'key',
    description: 'API keys of callers that have no identity of their own',
    load: async () => (await import('./key.ts')).defineKey,
  },
];

/** `colophon callers …`: who may ask the issuer for tokens. */
export function defineCallers(callers: Command, session: Session): void {
  addCommands(callers, CALLERS_COMMANDS, session);
}
