import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const CONFIG_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'check [options] [file]',
    description: 'check a configuration file: every problem at once, with line and column',
    load: async () => (await import('./check.ts')).defineCheck,
  },
  {
    term: 'example',
    description: 'print a configuration file to begin with',
    load: async () => (await import('./example.ts')).defineExample,
  },
];

/** `colophon config …`: the configuration file of `colophon serve`. */
export function defineConfig(config: Command, session: Session): void {
  addCommands(config, CONFIG_COMMANDS, session);
}
