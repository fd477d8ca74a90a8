import { readInstallation } from '@colophon/server/data-folder';
import { CliError } from '../cli-error/cli-error.ts';
import { isServiceUrl } from '../service-url/service-url.ts';
import { dataFolder } from './home.ts';
import { upLine } from './up-line.ts';

/** The issuer to ask: `--issuer`, else COLOPHON_ISSUER, else the one that this data folder belongs to. */
export function issuerUrl(env: NodeJS.ProcessEnv, data: string | undefined, flag: string | undefined): string {
  const url = knownIssuerUrl(env, data, flag);
  if (url !== undefined) return url;
  throw new CliError('cli.no_issuer', 'no issuer is known', {
    checked: `--issuer, $COLOPHON_ISSUER, ${dataFolder(env, data)}`,
    next: upLine(data),
  });
}

/** The same, or undefined where none is known. */
export function knownIssuerUrl(env: NodeJS.ProcessEnv, data: string | undefined, flag?: string): string | undefined {
  if (flag !== undefined) return flag;
  const url = env['COLOPHON_ISSUER'];
  if (!url) return readInstallation(dataFolder(env, data))?.issuer_url;
  if (isServiceUrl(url)) return url;
  throw new CliError('cli.usage', '$COLOPHON_ISSUER is no address', {
    checked: '$COLOPHON_ISSUER',
    expected: 'e.g. http://localhost:7080',
    found: url,
  });
}
