import { Option } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';

/** `--config FILE`, or $COLOPHON_CONFIG: the configuration file of `serve`. */
export function configOption(): Option {
  return new Option('--config <file>', 'configuration file (default: $COLOPHON_CONFIG)').env('COLOPHON_CONFIG');
}

/** A configuration that is not in order, with every problem at its place. */
export function configurationError(file: string, error: unknown): unknown {
  const { code, message, issues } = error as { code?: string; message: string; issues?: readonly ConfigurationProblem[] };
  if (code !== 'server.configuration_invalid') return error;
  return new CliError('cli.configuration_invalid', message, {
    checked: file,
    ...(issues === undefined ? {} : { issues }),
    next: 'colophon config check FILE, and colophon config example for a file to begin with',
    cause: error,
  });
}

type ConfigurationProblem = {
  readonly code: string;
  readonly message: string;
  readonly path: string;
  readonly expected?: string;
  readonly line?: number;
  readonly column?: number;
};
