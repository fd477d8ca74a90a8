import type { Command } from 'commander';
import { addCommands } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

/** `colophon admission`: policies of images, and the webhook that enforces them in a cluster. */
export function defineAdmission(command: Command, session: Session): void {
  addCommands(
    command,
    [
      {
        term: 'lint [options] <file...>',
        description: 'say in plain sentences what policies admit, and what a careful reader should know of them',
        load: async () => (await import('./lint.ts')).defineLint,
      },
      {
        term: 'test [options] <folder>',
        description: 'decide about a folder of cases, offline, and compare; exit 20 if one is decided otherwise',
        load: async () => (await import('./test-policies.ts')).defineTestPolicies,
      },
      {
        term: 'generate [options]',
        description: 'write a policy down for policy-controller or cosign, and say what they cannot express',
        load: async () => (await import('./generate.ts')).defineAdmissionGenerate,
      },
      {
        term: 'serve [options]',
        description: 'answer the admission reviews of a Kubernetes API server',
        load: async () => (await import('./serve.ts')).defineAdmissionServe,
      },
      {
        term: 'certificates [options]',
        description: 'keep the certificate of the webhook in its Secret, and the API server’s trust in it',
        load: async () => (await import('./certificates.ts')).defineAdmissionCertificates,
      },
    ],
    session,
  );
}
