import type { ConfigurationIssue } from '@colophon/server/configuration';
import { type Command, Option } from 'commander';
import { withNeeds } from '../program/needs.ts';
import { shellWord } from '../terminal/terminal.ts';

/** `--config FILE`: the configuration of an issuer. */
export function configOption(): Option {
  return new Option('--config <file>', 'configuration file of the issuer (default: $COLOPHON_CONFIG)');
}

/** The file of the flag, else of the environment. */
export function configurationFile(env: NodeJS.ProcessEnv, flag: string | undefined): string | undefined {
  return flag ?? (env['COLOPHON_CONFIG'] || undefined);
}

/** Has a command refused where no configuration file is named. */
export function needsConfiguration(command: Command): Command {
  return withNeeds(command, {
    what: 'configuration file',
    oneOf: ['--config', '$COLOPHON_CONFIG'],
    value: 'colophon.yaml',
  });
}

/** Says of a configuration that is not in order where each problem stands; other errors stay as they are. */
export function asConfigurationError(
  file: string,
  error: unknown,
  next: string | null = `colophon config check ${shellWord(file)}`,
): unknown {
  const { code, issues } = error as {
    readonly code?: unknown;
    readonly issues?: readonly ConfigurationIssue[];
  };
  if (code !== 'server.configuration_invalid') return error;
  return Object.assign(error as Error, {
    facts: {
      checked: file,
      ...(issues === undefined || issues.length === 0 ? {} : { issues }),
      ...(next === null ? {} : { next }),
    },
  });
}
