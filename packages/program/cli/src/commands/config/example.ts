import { CONFIGURATION_EXAMPLE } from '@colophon/server/configuration';
import type { Command } from 'commander';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';

/** `colophon config example`: with a GitHub job, a GitLab job, a pod and an API key as callers. */
export function defineExample(command: Command, { terminal }: Session): void {
  command
    .addHelpText('after', example('colophon config example'))
    .action(() => void terminal.stdout.write(CONFIGURATION_EXAMPLE));
}
