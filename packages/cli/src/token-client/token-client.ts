import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { oneLine } from '../terminal/terminal.ts';

const TIMEOUT_MS = 15_000;
const TOKEN_MAX_BYTES = 16 * 1024;

type TokenEndpointError = {
  error_description?: string;
  code?: string;
  field?: string;
  issues?: Array<{ path?: string; code: string; message: string }>;
};

/**
 * Asks the issuer for one identity token (contract §2.2). `secret` is a local reviewer's, for a reviewer's own token.
 * @throws CliError `cli.issuer_unreachable` (exit 3), `cli.issuer_refused` (exit 4 for 401 and 403, else 20)
 */
export async function requestToken(
  issuerUrl: string,
  request: Uint8Array,
  { secret, signal }: { secret?: string; signal?: AbortSignal } = {},
): Promise<string> {
  const endpoint = `${issuerUrl.replace(/\/$/, '')}/oauth/token`;
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(endpoint, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      },
      body: new Uint8Array(request),
      signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
    });
  } catch (cause) {
    throw new CliError(
      'cli.issuer_unreachable',
      `the issuer at ${issuerUrl} does not answer`,
      EXIT.peerDown,
      { checked: endpoint, next: 'colophon up    (or --issuer URL for another issuer)' },
      cause,
    );
  }
  const body = await response.text();
  if (response.ok && body.length <= TOKEN_MAX_BYTES && /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2}$/.test(body)) return body;
  throw refusal(endpoint, response.status, response.ok ? '' : body);
}

function refusal(endpoint: string, status: number, body: string): CliError {
  let answer: TokenEndpointError = {};
  try {
    answer = JSON.parse(body) as TokenEndpointError;
  } catch {
    // Not an issuer of ours; its words are not repeated.
  }
  const said = [answer.error_description, answer.code && `[${answer.code}]`, answer.field && `(field ${answer.field})`];
  const error = new CliError(
    'cli.issuer_refused',
    `the issuer refused the request: ${oneLine(said.filter(Boolean).join(' ') || `HTTP ${status}`)}`,
    status === 401 || status === 403 ? EXIT.notAuthorized : status >= 500 ? EXIT.peerDown : EXIT.refused,
    { checked: endpoint },
  );
  return Array.isArray(answer.issues) ? Object.assign(error, { issues: answer.issues }) : error;
}
