import { type Command, Option } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import {
  asConfigurationError,
  configOption,
  configurationFile,
  needsConfiguration,
} from '../configuration/configuration-file.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { pinsFolder, reviewerSecretFile } from '../home/home.ts';
import { untilAborted } from '../interrupts/until-aborted.ts';
import { example } from '../program/example.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { VERSION } from '../program/version.ts';

type ServeFlags = { readonly config?: string; readonly logLevel: 'silent' | 'error' | 'warn' | 'info' };

/** `colophon serve`: the issuer of a company, as its configuration file says, until Ctrl-C. */
export function defineServe(command: Command, session: Session): void {
  const { env, signal } = session;
  needsConfiguration(command)
    .addHelpText('after', example('colophon serve --config colophon.yaml'))
    .addOption(configOption())
    .addOption(
      new Option('--log-level <level>', 'what goes to standard error, as lines of JSON')
        .choices(['silent', 'error', 'warn', 'info'])
        .default('info'),
    )
    .action(async ({ config, logLevel }: ServeFlags, command: Command) => {
      const file = configurationFile(env, config)!;
      if (dataFlag(command) !== undefined) {
        throw new CliError('cli.usage', 'the configuration names the data folder', {
          checked: '--data',
          expected: `data in ${file}`,
        });
      }
      session.holdInterrupts();
      const { serveConfiguration } = await import('@colophon/server');
      const secret = reviewerSecretFile(env);
      const server = await serveConfiguration({
        file,
        env,
        reviewerSecretFile: secret,
        pinsFolder: pinsFolder(env),
        logLevel,
        version: VERSION,
      }).catch((error: unknown) => {
        throw asConfigurationError(file, error);
      });
      try {
        await untilAborted(signal);
      } finally {
        await server.close();
      }
      session.setExitCode(EXIT.ok);
    });
}
