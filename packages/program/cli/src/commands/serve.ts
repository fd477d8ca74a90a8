import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import {
  asConfigurationError,
  configOption,
  configurationFile,
  needsConfiguration,
} from '../configuration/configuration-file.ts';
import { pinsFolder, reviewerSecretFile } from '../home/home.ts';
import { example } from '../program/example.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { type LogLevel, logLevelOption, serveUntilInterrupted } from '../program/serve-until-interrupted.ts';
import { VERSION } from '../program/version.ts';

type ServeFlags = { readonly config?: string; readonly logLevel: LogLevel };

/** `colophon serve`: the issuer of a company, as its configuration file says, until Ctrl-C. */
export function defineServe(command: Command, session: Session): void {
  const { env } = session;
  needsConfiguration(command)
    .addHelpText('after', example('colophon serve --config colophon.yaml'))
    .addOption(configOption())
    .addOption(logLevelOption('info'))
    .action(async ({ config, logLevel }: ServeFlags, command: Command) => {
      const file = configurationFile(env, config)!;
      if (dataFlag(command) !== undefined) {
        throw new CliError('cli.usage', 'the configuration names the data folder', {
          checked: '--data',
          expected: `data in ${file}`,
        });
      }
      await serveUntilInterrupted(session, async () => {
        const { serveConfiguration } = await import('@colophon/server');
        return serveConfiguration({
          file,
          env,
          reviewerSecretFile: reviewerSecretFile(env),
          pinsFolder: pinsFolder(env),
          logLevel,
          version: VERSION,
        }).catch((error: unknown) => {
          throw asConfigurationError(file, error);
        });
      });
    });
}
