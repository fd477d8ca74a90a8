import { type Installation, readInstallation } from '@colophon/server/data-folder';
import { CliError } from '../cli-error/cli-error.ts';
import { upLine } from './up-line.ts';

/**
 * What a server wrote into its data folder when it was first started.
 * @param data the global `--data`
 * @throws CliError `cli.no_issuer` where none ever was; what `readInstallation` throws
 */
export function startedInstallation(dataDir: string, data: string | undefined): Installation {
  const installation = readInstallation(dataDir);
  if (installation !== undefined) return installation;
  throw new CliError('cli.no_issuer', 'nothing was ever started in this data folder', {
    checked: dataDir,
    next: upLine(data),
    kind: 'not-found',
  });
}
