import { type Command, Option } from 'commander';
import { asConfigurationError } from '../../configuration/configuration-file.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { untilAborted } from '../../interrupts/until-aborted.ts';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';

type ServeFlags = { readonly config: string; readonly logLevel: 'silent' | 'error' | 'warn' | 'info' };

/** `colophon witness serve`: an isolated witness, until Ctrl-C. */
export function defineWitnessServe(command: Command, session: Session): void {
  const { env, signal } = session;
  command
    .addHelpText('after', example('colophon witness serve --config witness.yaml'))
    .requiredOption('--config <file>', 'configuration file of the witness')
    .addOption(
      new Option('--log-level <level>', 'what goes to standard error, as lines of JSON')
        .choices(['silent', 'error', 'warn', 'info'])
        .default('info'),
    )
    .action(async ({ config, logLevel }: ServeFlags) => {
      session.holdInterrupts();
      const { startWitness } = await import('@colophon/server/witness');
      const witness = await startWitness({ file: config, env, logLevel }).catch((error: unknown) => {
        throw asConfigurationError(config, error, null);
      });
      try {
        await untilAborted(signal);
      } finally {
        await witness.close();
      }
      session.setExitCode(EXIT.ok);
    });
}
