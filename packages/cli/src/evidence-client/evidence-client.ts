import { createHash } from 'node:crypto';
import { CliError, type ReportedIssue } from '../cli-error/cli-error.ts';
import { askPeer, jsonObjectOf, type NoAnswer, type PeerAnswer } from '../peer-answer/peer-answer.ts';

const TIMEOUT_MS = 30_000;

/**
 * Hands a signed bundle to the evidence store, which verifies it before it keeps it. Errors name the bundle as `name`.
 * @throws CliError `cli.evidence_unreachable` (exit 3), `evidence.*` and `cli.evidence_refused` (exit 20)
 */
export async function storeEvidence(
  serverUrl: string,
  bundle: Uint8Array,
  name: string,
): Promise<{ id: string; kind: string }> {
  const headers = { 'content-type': 'application/json' };
  const url = addressOf(serverUrl, '/evidence');
  const { id, kind } = await ask(url, { method: 'POST', body: new Uint8Array(bundle), headers }, `${name} at ${url}`);
  return { id: String(id), kind: String(kind) };
}

/** Asks the evidence store a question of the query language. @throws CliError as storeEvidence, and `query.*` (exit 1) */
export function queryEvidence(serverUrl: string, question: string): Promise<Record<string, unknown>> {
  const url = addressOf(serverUrl, '/query');
  return ask(`${url}?q=${encodeURIComponent(question)}`, {}, url);
}

/** Where a bundle can be had from the evidence store; `id` is the SHA-256 of its bytes, hex. */
export function evidenceUrl(serverUrl: string, id: string): string {
  return addressOf(serverUrl, `/evidence/${id}`);
}

/**
 * Fetches a bundle by its id. Nothing is believed but that its bytes have this SHA-256.
 * @throws CliError `cli.evidence_unreachable` (exit 3), `cli.evidence_refused` (exit 20)
 */
export async function fetchEvidence(serverUrl: string, id: string): Promise<Uint8Array> {
  const checked = evidenceUrl(serverUrl, id);
  const answer = await answerOf(checked, {}, checked);
  if (!answer.isOk) throw failure(checked, answer);
  const bytes = Buffer.from(answer.body);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === id) return bytes;
  throw new CliError('cli.evidence_refused', 'the evidence store gave other bytes than were asked for', {
    checked,
    expected: `sha256:${id}`,
    found: `sha256:${found}`,
  });
}

/**
 * The signed list of standing negatives, as the evidence store publishes it; nothing of it is believed yet.
 * @throws CliError `cli.evidence_unreachable` (exit 3), `evidence.*` and `cli.evidence_refused` (exit 20)
 */
export async function fetchStandingNegatives(serverUrl: string): Promise<Uint8Array> {
  const checked = addressOf(serverUrl, '/negatives');
  const answer = await answerOf(checked, {}, checked);
  if (!answer.isOk) throw failure(checked, answer);
  return Buffer.from(answer.body);
}

function addressOf(server: string, path: string): string {
  return `${server.replace(/\/+$/, '')}${path}`;
}

async function ask(url: string, init: RequestInit, checked: string): Promise<Record<string, unknown>> {
  const answer = await answerOf(url, init, checked);
  const said = jsonObjectOf(answer);
  if (answer.isOk && said !== undefined) return said;
  throw failure(checked, answer);
}

function answerOf(url: string, init: RequestInit, checked: string): Promise<PeerAnswer> {
  return askPeer(url, { ...init, timeoutMs: TIMEOUT_MS }).catch((cause: unknown) => {
    throw unreachable(checked, 'the evidence store does not answer', (cause as NoAnswer).message);
  });
}

function failure(checked: string, answer: PeerAnswer): CliError {
  const said = jsonObjectOf(answer);
  if (said === undefined) {
    return unreachable(checked, 'what answers there is no evidence store', `HTTP ${answer.status}`);
  }
  if (answer.status >= 500) {
    const why = [`HTTP ${answer.status}`, said['code'], said['detail']].filter((part) => typeof part === 'string');
    return unreachable(checked, 'the evidence store failed', why.join(', '));
  }
  return refusal(checked, answer, said);
}

function unreachable(checked: string, message: string, found: string): CliError {
  return new CliError('cli.evidence_unreachable', message, { checked, found, next: 'colophon up' });
}

/** RFC 9457, with our code and where the problem is. */
function refusal(checked: string, { status }: PeerAnswer, problem: Record<string, unknown>): CliError {
  const { code, detail, reason, position, expected, did_you_mean: meant, issues } = problem;
  const said = typeof detail === 'string' ? detail : `HTTP ${status}`;
  const message = typeof meant === 'string' ? `${said} Did you mean ${meant}?` : said;
  const known = typeof code === 'string' && isOurs(code) ? code : 'cli.evidence_refused';
  const isQuestion = known.startsWith('query.');
  const inQuestion = typeof position === 'number' ? [{ code: known, message, position }] : [];
  const inStatement = Array.isArray(issues) ? (issues as ReportedIssue[]) : [];
  const all = [...inQuestion, ...inStatement];
  return new CliError(known, message, {
    checked,
    ...(typeof expected === 'string' ? { expected } : {}),
    ...(typeof reason === 'string' ? { found: reason } : {}),
    ...(isQuestion ? { next: 'the forms of a question are in docs/query.md' } : {}),
    ...(all.length === 0 ? {} : { issues: all }),
    kind: isQuestion ? 'usage' : 'refused',
  });
}

function isOurs(code: string): code is `query.${string}` | `evidence.${string}` {
  return /^(query|evidence)\.[a-z_]+$/.test(code);
}
