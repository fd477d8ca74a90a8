import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { MAX_REVIEW_BYTES } from '@colophon/kubernetes';
import type { ReviewHandler, Webhook } from '@colophon/webhook';
import { SMALL_BODY_BYTES } from '../body-budget/body-budget.ts';
import { ByteBudget } from '../body-budget/byte-budget.ts';
import { LIVE_PATH, NOT_READY_STATUS, READY_PATH } from '../operations/health-endpoints.ts';
import type { Readiness } from '../operations/readiness.ts';
import { REQUEST_TIMEOUT_MS } from '../start/request-deadline.ts';
import type { AdmissionMeter } from './admission-meter.ts';

const WEBHOOKS: ReadonlyMap<string, Webhook> = new Map([
  ['/mutate', 'mutate'],
  ['/validate', 'validate'],
]);

/** Bytes of all large bodies that have come and wait for an answer: more than a busy API server has under way. */
const LARGE_BODIES_BYTES = 64 * 1024 * 1024;

/** How much of the API server's own time an answer needs on its way. */
const ON_THE_WAY_MS = 250;

export type AdmissionEndpointsOptions = {
  readonly handler: ReviewHandler;
  readonly readiness: Readiness;
  readonly meter: AdmissionMeter;
  /** For an answer. */
  readonly timeoutMs: number;
};

/** What an API server calls: `POST /mutate`, `POST /validate`; and the probes. */
export function admissionEndpoints({
  handler,
  readiness,
  meter,
  timeoutMs,
}: AdmissionEndpointsOptions): RequestListener {
  const budget = new ByteBudget(LARGE_BODIES_BYTES);
  return (request, response) => {
    const [path = '', query] = (request.url ?? '').split('?');
    if (request.method === 'GET' && path === LIVE_PATH) return empty(request, response, 200);
    if (request.method === 'GET' && path === READY_PATH) {
      return empty(request, response, readiness.isReady ? 200 : NOT_READY_STATUS);
    }
    const webhook = WEBHOOKS.get(path);
    if (webhook === undefined) return empty(request, response, 404);
    if (request.method !== 'POST') return empty(request, response, 405);
    if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return empty(request, response, 415);
    const declared = Number(request.headers['content-length'] ?? MAX_REVIEW_BYTES);
    if (!(declared <= MAX_REVIEW_BYTES)) return empty(request, response, 413);
    const begun = performance.now();
    const answering = readBody(request, response, budget).then(async (body) => {
      if (typeof body === 'number') return empty(request, response, body);
      const left = timeLeft(query, timeoutMs) - (performance.now() - begun);
      const { status, body: answer } = await handler.answer(webhook, body, Math.max(1, left));
      const isAllowed = answer.includes('"allowed":true');
      meter.answered(
        webhook,
        status === 400 ? 'malformed' : isAllowed ? 'allowed' : 'refused',
        performance.now() - begun,
      );
      if (readiness.isEnding) response.setHeader('connection', 'close');
      // With its length an answer is one write; without, it is four.
      const length = { 'content-length': Buffer.byteLength(answer) };
      response
        .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...length })
        .end(answer);
    });
    // A body that did not come has nobody who waits for the answer.
    answering.catch(() => response.destroy());
  };
}

/** The API server says for how long it waits (`?timeout=10s`); an answer that comes later is none. */
function timeLeft(query: string | undefined, timeoutMs: number): number {
  const [, seconds] = /^(\d{1,3})s$/.exec(new URLSearchParams(query).get('timeout') ?? '') ?? [];
  return seconds === undefined ? timeoutMs : Math.min(timeoutMs, Math.max(0, Number(seconds) * 1000 - ON_THE_WAY_MS));
}

/**
 * The bytes of a request, or the status that refuses it: 413 for more than a review has, 503 where there is no room. A
 * body takes what has come of it, not what it announces: announcing costs a stranger nothing. It takes it until its
 * answer is out, and a small one takes none.
 */
function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  budget: ByteBudget,
): Promise<Uint8Array | 413 | 503> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const held: Array<() => void> = [];
    let length = 0;
    const timer = setTimeout(() => request.destroy(), REQUEST_TIMEOUT_MS);
    const refuse = (status: 413 | 503) => {
      request.off('data', take);
      chunks.length = 0;
      resolve(status);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > MAX_REVIEW_BYTES) return refuse(413);
      if (length <= SMALL_BODY_BYTES) return;
      const giveBack = budget.take(held.length === 0 ? length : chunk.length);
      if (giveBack === undefined) return refuse(503);
      held.push(giveBack);
    };
    request.on('data', take);
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('close', () => {
      clearTimeout(timer);
      reject(new Error('the request was cut off'));
    });
    response.on('close', () => {
      for (const giveBack of held) giveBack();
    });
  });
}

function empty(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  response.writeHead(status, { 'cache-control': 'no-store' }).end();
}
