import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@colophon/json';
import { askPeer, eachAtOnce, jsonIn, type PeerAnswer, type Question, underBase } from '@colophon/peer';
import {
  type AdmissionDecisionRecord,
  joinNegativesPages,
  type ListedNegatives,
  NegativesPageError,
  negativesPageAddress,
  pagesOf,
  type StandingNegatives,
} from '@colophon/records';
import { type ClientIssue, EvidenceClientError } from '../client-error/client-error.ts';
import { MOST_DECISION_BYTES, MOST_DECISIONS } from '../decision/decision-lines.ts';

/** For a busy server, which gives a question up after a minute; and for what a question found, or a list. */
const LIMITS = { timeoutMs: 75_000, mostBytes: 64 * 1024 * 1024, redirect: 'refused' } as const;

/**
 * Hands a signed bundle to the evidence store, which verifies it before it keeps it. Errors name the bundle as `name`.
 * @throws EvidenceClientError `evidence.unreachable`, `evidence.*` and `evidence.refused`
 */
export async function storeEvidence(
  serverUrl: string,
  bundle: Uint8Array,
  name: string,
): Promise<{ id: string; kind: string }> {
  const headers = { 'content-type': 'application/json' };
  const url = underBase(serverUrl, '/evidence');
  const { id, kind } = await ask(url, { method: 'POST', body: bundle, headers }, `${name} at ${url}`);
  return { id: String(id), kind: String(kind) };
}

/**
 * Hands a witness's receipt to the evidence store, which verifies it before it keeps it. Errors name it as `name`.
 * @throws EvidenceClientError as storeEvidence
 */
export async function storeReceipt(
  serverUrl: string,
  receipt: Uint8Array,
  name: string,
): Promise<{ id: string; kind: string }> {
  const url = underBase(serverUrl, '/receipts');
  const headers = { 'content-type': 'application/json' };
  const { id } = await ask(url, { method: 'POST', body: receipt, headers }, `${name} at ${url}`);
  return { id: String(id), kind: 'receipt' };
}

/** What is shown to a store that asks its callers who they are: for each request, where a credential counts once. */
export type SenderCredential = string | (() => Promise<string | undefined>);

/**
 * Hands decisions of an admission webhook to the evidence store, in as many requests as they need; each is kept as a
 * whole, and what was kept before is kept once.
 * @returns how many are new, and how many were there already
 * @throws EvidenceClientError as storeEvidence, and `caller.*`
 */
export async function storeDecisions(
  serverUrl: string,
  records: Iterable<AdmissionDecisionRecord>,
  { credential }: { readonly credential?: SenderCredential | undefined } = {},
): Promise<{ stored: number; known: number }> {
  const url = underBase(serverUrl, '/decisions');
  const total = { stored: 0, known: 0 };
  for (const body of decisionBodies(records)) {
    const shown = typeof credential === 'function' ? await credential() : credential;
    const headers = {
      'content-type': 'application/x-ndjson',
      ...(shown === undefined ? {} : { authorization: `Bearer ${shown}` }),
    };
    const { stored, known } = await ask(url, { method: 'POST', body, headers }, url);
    total.stored += Number(stored);
    total.known += Number(known);
  }
  return total;
}

/** Asks the evidence store a question of the query language. @throws EvidenceClientError as storeEvidence, and `query.*` */
export function queryEvidence(serverUrl: string, question: string): Promise<Record<string, unknown>> {
  const url = underBase(serverUrl, '/query');
  return ask(`${url}?q=${encodeURIComponent(question)}`, {}, url);
}

/** Where a bundle can be had from the evidence store; `id` is the SHA-256 of its bytes, hex. */
export function evidenceUrl(serverUrl: string, id: string): string {
  return underBase(serverUrl, `/evidence/${id}`);
}

/**
 * Fetches a bundle by its id. Nothing is believed but that its bytes have this SHA-256.
 * @throws EvidenceClientError `evidence.unreachable`, `evidence.refused`
 */
export async function fetchEvidence(serverUrl: string, id: string): Promise<Uint8Array> {
  const checked = evidenceUrl(serverUrl, id);
  const answer = await answerOf(checked, {}, checked);
  if (!answer.isOk) throw failure(checked, answer);
  const bytes = Buffer.from(answer.body);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === id) return bytes;
  throw new EvidenceClientError('evidence.refused', 'the evidence store gave other bytes than were asked for', {
    checked,
    expected: `sha256:${id}`,
    found: `sha256:${found}`,
  });
}

/**
 * The signed list of standing negatives, as the evidence store publishes it; nothing of it is believed yet.
 * @throws EvidenceClientError `evidence.unreachable`, `evidence.*` and `evidence.refused`
 */
export async function fetchStandingNegatives(serverUrl: string): Promise<Uint8Array> {
  const checked = underBase(serverUrl, '/negatives');
  const answer = await answerOf(checked, {}, checked);
  if (!answer.isOk) throw failure(checked, answer);
  return answer.body;
}

/**
 * The whole list of standing negatives: its pages, each as it was signed.
 * @param list as standingRejectionsIn gives it
 * @throws EvidenceClientError as fetchStandingNegatives; `evidence.refused` for a page that is another than was signed
 */
export async function fetchListedNegatives(serverUrl: string, list: StandingNegatives): Promise<ListedNegatives> {
  const from = underBase(serverUrl, '/negatives');
  const pages = await eachAtOnce(namedPages(from, list), async ({ digest }) => {
    const checked = negativesPageAddress(from, digest);
    const answer = await answerOf(checked, {}, checked);
    if (!answer.isOk) throw failure(checked, answer);
    return [digest, answer.body] as const;
  });
  return malformedIs(from, () => joinNegativesPages(list, new Map(pages)));
}

function namedPages(from: string, list: StandingNegatives): StandingNegatives['pages'] {
  return malformedIs(from, () => pagesOf(list));
}

function malformedIs<T>(checked: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof NegativesPageError)) throw cause;
    const message = 'the list of standing negatives is not whole';
    throw new EvidenceClientError('evidence.refused', message, {
      checked,
      found: cause.message,
      kind: 'refused',
      cause,
    });
  }
}

/** Records one a line, as many as one request takes. One that is larger goes alone, and is refused there. */
function* decisionBodies(records: Iterable<AdmissionDecisionRecord>): Generator<Uint8Array> {
  let lines: Uint8Array[] = [];
  let bytes = 0;
  for (const record of records) {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    if (lines.length === MOST_DECISIONS || (lines.length > 0 && bytes + line.length > MOST_DECISION_BYTES)) {
      yield Buffer.concat(lines);
      [lines, bytes] = [[], 0];
    }
    lines.push(line);
    bytes += line.length;
  }
  if (lines.length > 0) yield Buffer.concat(lines);
}

async function ask(url: string, question: Question, checked: string): Promise<Record<string, unknown>> {
  const answer = await answerOf(url, question, checked);
  const said = saidIn(answer);
  if (answer.isOk && said !== undefined) return said;
  throw failure(checked, answer);
}

function answerOf(url: string, question: Question, checked: string): Promise<PeerAnswer> {
  return askPeer(url, question, LIMITS).catch((cause: Error) => {
    throw unreachable(checked, 'the evidence store does not answer', cause.message);
  });
}

function saidIn({ body }: PeerAnswer): JsonObject | undefined {
  const value = jsonIn(body);
  return isJsonObject(value) ? value : undefined;
}

function failure(checked: string, answer: PeerAnswer): EvidenceClientError {
  const said = saidIn(answer);
  if (said === undefined) {
    return unreachable(checked, 'what answers there is no evidence store', `HTTP ${answer.status}`);
  }
  if (answer.status >= 500) {
    const why = [`HTTP ${answer.status}`, said['code'], said['detail']].filter((part) => typeof part === 'string');
    return unreachable(checked, 'the evidence store failed', why.join(', '));
  }
  return refusal(checked, answer, said);
}

function unreachable(checked: string, message: string, found: string): EvidenceClientError {
  return new EvidenceClientError('evidence.unreachable', message, { checked, found, next: 'colophon up' });
}

/** RFC 9457, with our code and where the problem is. */
function refusal(checked: string, { status }: PeerAnswer, problem: Record<string, unknown>): EvidenceClientError {
  const { code, detail, reason, position, expected, did_you_mean: meant, issues } = problem;
  const said = typeof detail === 'string' ? detail : `HTTP ${status}`;
  const message = typeof meant === 'string' ? `${said} Did you mean ${meant}?` : said;
  const known = typeof code === 'string' && isOurs(code) ? code : 'evidence.refused';
  const isQuestion = known.startsWith('query.');
  const isCaller = known.startsWith('caller.');
  const inQuestion = typeof position === 'number' ? [{ code: known, message, position }] : [];
  const inStatement = Array.isArray(issues) ? (issues as ClientIssue[]) : [];
  const all = [...inQuestion, ...inStatement];
  return new EvidenceClientError(known, message, {
    checked,
    ...(typeof expected === 'string' ? { expected } : {}),
    ...(typeof reason === 'string' ? { found: reason } : {}),
    ...(isQuestion ? { next: 'colophon query --help' } : {}),
    ...(all.length === 0 ? {} : { issues: all }),
    kind: isQuestion ? 'usage' : isCaller ? 'unauthorized' : 'refused',
  });
}

function isOurs(code: string): code is `query.${string}` | `evidence.${string}` | `caller.${string}` {
  return /^(query|evidence|caller)\.[a-z_]+$/.test(code);
}
