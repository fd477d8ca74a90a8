import type { RingPlace } from '@colophon/keys';
import { tokenKeyRing } from '@colophon/server/data-folder';
import { dataFolder } from './home.ts';
import { startedInstallation } from './started-installation.ts';

/**
 * Where the keys lie that sign tokens.
 * @param data the global `--data`
 * @throws CliError `cli.no_issuer` where no server was ever started; what `readInstallation` throws
 */
export function tokenKeysPlace(env: NodeJS.ProcessEnv, data: string | undefined): RingPlace {
  const dataDir = dataFolder(env, data);
  return tokenKeyRing(dataDir, startedInstallation(dataDir, data).token_algorithm);
}
