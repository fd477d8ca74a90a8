import { type Command, Option } from 'commander';
import { asConfigurationError } from '../../configuration/configuration-file.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { untilAborted } from '../../interrupts/until-aborted.ts';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';
import { VERSION } from '../../program/version.ts';

type ServeFlags = { readonly config: string; readonly logLevel: 'silent' | 'error' | 'warn' | 'info' };

/** `colophon admission serve`: the webhook of a cluster, until Ctrl-C. */
export function defineAdmissionServe(command: Command, session: Session): void {
  const { env, signal } = session;
  command
    .addHelpText('after', example('colophon admission serve --config admission.yaml'))
    .requiredOption('--config <file>', 'configuration file of the webhook')
    .addOption(
      new Option('--log-level <level>', 'what goes to standard error, as lines of JSON')
        .choices(['silent', 'error', 'warn', 'info'])
        .default('info'),
    )
    .action(async ({ config, logLevel }: ServeFlags) => {
      session.holdInterrupts();
      const { startAdmission } = await import('@colophon/server/admission');
      const { podNamespace } = await import('@colophon/cluster');
      const ownNamespace = podNamespace();
      const webhook = await startAdmission({ file: config, env, logLevel, version: VERSION, ownNamespace }).catch(
        (error: unknown) => {
          throw asConfigurationError(config, error, null);
        },
      );
      try {
        await untilAborted(signal);
      } finally {
        await webhook.close();
      }
      session.setExitCode(EXIT.ok);
    });
}
