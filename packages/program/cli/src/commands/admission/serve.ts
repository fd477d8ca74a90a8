import type { Command } from 'commander';
import { asConfigurationError } from '../../configuration/configuration-file.ts';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';
import { type LogLevel, logLevelOption, serveUntilInterrupted } from '../../program/serve-until-interrupted.ts';
import { VERSION } from '../../program/version.ts';

type ServeFlags = { readonly config: string; readonly logLevel: LogLevel };

/** `colophon admission serve`: the webhook of a cluster, until Ctrl-C. */
export function defineAdmissionServe(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon admission serve --config admission.yaml'))
    .requiredOption('--config <file>', 'configuration file of the webhook')
    .addOption(logLevelOption('info'))
    .action(({ config, logLevel }: ServeFlags) =>
      serveUntilInterrupted(session, async () => {
        const { startAdmission } = await import('@colophon/server/admission');
        const { podNamespace } = await import('@colophon/cluster');
        const named = { file: config, env: session.env, logLevel, version: VERSION, ownNamespace: podNamespace() };
        return startAdmission(named).catch((error: unknown) => {
          throw asConfigurationError(config, error, null);
        });
      }),
    );
}
