import { CliError } from '../cli-error/cli-error.ts';
import { dataFolder } from './home.ts';
import { knownIssuerUrl } from './issuer-url.ts';
import { upLine } from './up-line.ts';

/** What help says of `--evidence-url <url>`. */
export const EVIDENCE_URL_HELP = 'evidence store (default: $COLOPHON_ISSUER, else the one of the data folder)';

/** The evidence store to ask: `--evidence-url`, else that of the issuer that is known. @throws CliError `cli.no_issuer` */
export function evidenceStoreUrl(env: NodeJS.ProcessEnv, data: string | undefined, flag: string | undefined): string {
  const url = flag ?? knownIssuerUrl(env, data);
  if (url !== undefined) return url;
  throw new CliError('cli.no_issuer', 'no evidence store is known', {
    checked: `--evidence-url, $COLOPHON_ISSUER, ${dataFolder(env, data)}`,
    next: upLine(data),
  });
}
