import { openKeyFile, type SigningKey } from '@colophon/keys';
import type { Command } from 'commander';
import { asConfigurationError } from '../../configuration/configuration-file.ts';
import { witnessKeyFile } from '../../home/home.ts';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';

/** `colophon witness public-key`: of `colophon run`, or of the witness that a configuration file is for. */
export function defineWitnessPublicKey(command: Command, { env, terminal }: Session): void {
  command
    .addHelpText('after', example('colophon witness public-key'))
    .option('--config <file>', 'configuration file of an isolated witness (default: the witness of colophon run)')
    .action(async ({ config }: { config?: string }) => {
      const key = config === undefined ? openKeyFile(witnessKeyFile(env), 'ES256') : await keyIn(config, env);
      terminal.stdout.write(key.publicPem());
    });
}

async function keyIn(config: string, env: NodeJS.ProcessEnv): Promise<SigningKey> {
  const { loadWitnessConfiguration, openWitnessKey } = await import('@colophon/server/witness');
  try {
    return openWitnessKey(loadWitnessConfiguration(config).key, env);
  } catch (error) {
    throw asConfigurationError(config, error, null);
  }
}
