import type { Command } from 'commander';
import { addCommands } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

/** `colophon witness`: what observes agent runs from elsewhere. */
export function defineWitness(command: Command, session: Session): void {
  addCommands(
    command,
    [
      {
        term: 'serve [options]',
        description: 'observe runs as another user, in another container or on another host than the agent',
        load: async () => (await import('./serve.ts')).defineWitnessServe,
      },
      {
        term: 'public-key [options]',
        description: 'print the public key of a witness, for the configuration of an issuer',
        load: async () => (await import('./public-key.ts')).defineWitnessPublicKey,
      },
    ],
    session,
  );
}
