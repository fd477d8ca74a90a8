import { requestGithubToken } from '@colophon/oidc';
import { isLoopback } from '@colophon/peer';
import { CliError } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';

/** Bytes of a token or an API key with the blanks around it. */
const MOST_CREDENTIAL_BYTES = 64 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What this machine shows an issuer that asks its callers who they are: a token of its own, or an API key. In turn: the
 * file of the flag, $COLOPHON_CALLER_CREDENTIAL, $COLOPHON_CALLER_CREDENTIAL_FILE, the token of a GitHub Actions job;
 * undefined where there is none of them. To be asked for each identity token: files are exchanged, and tokens count once.
 * @throws CliError `cli.usage`, `cli.file_unreadable`, `cli.credential_exposed`; TokenRequestError
 */
export async function callerCredential(
  issuer: string,
  env: Environment,
  flag: string | undefined,
): Promise<string | undefined> {
  const credential = await found(issuer, env, flag);
  if (credential === undefined || new URL(issuer).protocol === 'https:' || isLoopback(issuer)) return credential;
  throw new CliError('cli.credential_exposed', 'a credential is not sent without TLS to another machine', {
    checked: issuer,
    expected: 'an https address',
  });
}

async function found(issuer: string, env: Environment, flag: string | undefined): Promise<string | undefined> {
  const value = env['COLOPHON_CALLER_CREDENTIAL'];
  const file = env['COLOPHON_CALLER_CREDENTIAL_FILE'];
  if (flag !== undefined) return readCredential(flag);
  if (value && file) {
    throw new CliError('cli.usage', 'two credentials are named', {
      expected: '$COLOPHON_CALLER_CREDENTIAL, or $COLOPHON_CALLER_CREDENTIAL_FILE',
      found: 'both',
    });
  }
  if (value) return value.trim();
  if (file) return readCredential(file);
  const requestUrl = env['ACTIONS_ID_TOKEN_REQUEST_URL'];
  const requestToken = env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
  // An issuer on the job's own machine asks nobody.
  if (!requestUrl || !requestToken || isLoopback(issuer)) return undefined;
  return requestGithubToken({ requestUrl, requestToken }, issuer);
}

/** The one word that a file holds. @throws CliError `cli.file_unreadable` */
export async function readCredential(file: string): Promise<string> {
  const text = new TextDecoder().decode(await readBounded(file, MOST_CREDENTIAL_BYTES)).trim();
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new CliError('cli.file_unreadable', `${file} holds no credential`, {
    checked: file,
    expected: 'a token, or an API key',
  });
}
