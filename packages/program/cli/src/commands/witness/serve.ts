import type { Command } from 'commander';
import { asConfigurationError } from '../../configuration/configuration-file.ts';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';
import { type LogLevel, logLevelOption, serveUntilInterrupted } from '../../program/serve-until-interrupted.ts';

type ServeFlags = { readonly config: string; readonly logLevel: LogLevel };

/** `colophon witness serve`: an isolated witness, until Ctrl-C. */
export function defineWitnessServe(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon witness serve --config witness.yaml'))
    .requiredOption('--config <file>', 'configuration file of the witness')
    .addOption(logLevelOption('info'))
    .action(({ config, logLevel }: ServeFlags) =>
      serveUntilInterrupted(session, async () => {
        const { startWitness } = await import('@colophon/server/witness');
        return startWitness({ file: config, env: session.env, logLevel }).catch((error: unknown) => {
          throw asConfigurationError(config, error, null);
        });
      }),
    );
}
