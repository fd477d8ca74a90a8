import type { Command } from 'commander';
import { addCommands } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

/** `colophon admission`: policies of images, and the webhook that enforces them in a cluster. */
export function defineAdmission(command: Command, session: Session): void {
  addCommands(
    command,
    [
      {
        term: 'serve [options]',
        description: 'answer the admission reviews of a Kubernetes API server',
        load: async () => (await import('./serve.ts')).defineAdmissionServe,
      },
    ],
    session,
  );
}
