import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { oneLine } from '../terminal/terminal.ts';

const TIMEOUT_MS = 30_000;

/**
 * Hands a signed bundle to the evidence store, which verifies it before it keeps it.
 * @throws CliError `cli.evidence_unreachable` (exit 3), `cli.evidence_refused` (exit 20)
 */
export async function storeEvidence(serverUrl: string, bundle: Uint8Array): Promise<{ id: string; kind: string }> {
  const response = await ask(`${serverUrl}/evidence`, {
    method: 'POST',
    body: new Uint8Array(bundle),
    headers: { 'content-type': 'application/json' },
  });
  return response.json() as Promise<{ id: string; kind: string }>;
}

/** Asks the evidence store a question of the query language. @throws CliError as storeEvidence, and `query.*` */
export async function queryEvidence(serverUrl: string, query: string): Promise<unknown> {
  return (await ask(`${serverUrl}/query?q=${encodeURIComponent(query)}`, {})).json();
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (cause) {
    const checked = url.split('?')[0] as string;
    throw new CliError(
      'cli.evidence_unreachable',
      'the evidence store does not answer',
      EXIT.peerDown,
      { checked, next: 'colophon up' },
      cause,
    );
  }
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string; issues?: [] };
  const isQuestion = problem.code?.startsWith('query.') === true;
  const error = new CliError(
    'cli.evidence_refused',
    `the evidence store refused: ${oneLine(problem.detail ?? `HTTP ${response.status}`)}`,
    isQuestion ? EXIT.usage : EXIT.refused,
    { checked: url.split('?')[0] as string },
  );
  return Promise.reject(
    problem.code === undefined ? error : Object.assign(error, { code: problem.code, issues: problem.issues }),
  );
}
