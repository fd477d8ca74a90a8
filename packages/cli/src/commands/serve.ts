import { type Command, Option } from 'commander';
import {
  asConfigurationError,
  configOption,
  configurationFile,
  needsConfiguration,
} from '../configuration/configuration-file.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { reviewerSecretFile } from '../home/home.ts';
import { placeholderWarning } from '../home/namespace.ts';
import { untilAborted } from '../interrupts/until-aborted.ts';
import { example } from '../program/example.ts';
import type { Session } from '../program/program.ts';
import { VERSION } from '../program/version.ts';
import { coloursFor } from '../terminal/terminal.ts';

type ServeFlags = { readonly config?: string; readonly logLevel: 'silent' | 'error' | 'warn' | 'info' };

/** `colophon serve`: the issuer of a company, as its configuration file says, until Ctrl-C. */
export function defineServe(command: Command, session: Session): void {
  const { terminal, env, signal } = session;
  needsConfiguration(command)
    .addHelpText('after', example('colophon serve --config colophon.yaml'))
    .addOption(configOption())
    .addOption(
      new Option('--log-level <level>', 'what goes to standard error, as lines of JSON')
        .choices(['silent', 'error', 'warn', 'info'])
        .default('info'),
    )
    .action(async ({ config, logLevel }: ServeFlags) => {
      const file = configurationFile(env, config)!;
      session.holdInterrupts();
      const { serveConfiguration } = await import('@colophon/server');
      const secret = reviewerSecretFile(env);
      const server = await serveConfiguration({
        file,
        env,
        reviewerSecretFile: secret,
        logLevel,
        version: VERSION,
      }).catch((error: unknown) => {
        throw asConfigurationError(file, error);
      });
      const colours = coloursFor(terminal);
      if (terminal.stderr.isTTY) {
        const rows = [
          ['issuer', server.url],
          ['listens on', server.addresses.join(', ')],
          ...(server.operations === undefined ? [] : [['operations', server.operations]]),
        ];
        terminal.stderr.write(`${colours.bold('colophon serves')}\n`);
        for (const [name, value] of rows) terminal.stderr.write(`  ${colours.dim(name!.padEnd(10))}  ${value}\n`);
        const placeholders = placeholderWarning(server.namespace);
        if (placeholders !== undefined) terminal.stderr.write(colours.yellow(`  ${placeholders}\n`));
      }
      try {
        await untilAborted(signal);
      } finally {
        await server.close();
      }
      session.setExitCode(EXIT.ok);
    });
}
