import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ReviewHandler, Unread, Webhook } from '@colophon/webhook';
import { LIVE_PATH, NOT_READY_STATUS, READY_PATH } from '../operations/health-endpoints.ts';
import type { Readiness } from '../operations/readiness.ts';
import type { AdmissionMeter } from './admission-meter.ts';
import { ReviewRoom, readReviewBody } from './review-body.ts';

const WEBHOOKS: ReadonlyMap<string, Webhook> = new Map([
  ['/mutate', 'mutate'],
  ['/validate', 'validate'],
]);

/** Of what is not read to its end and is no review that could be answered. */
const UNREAD_STATUS: Readonly<Record<Unread, number>> = { 'too-large': 413, 'no-room': 503 };

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
  const room = new ReviewRoom();
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
    const begun = performance.now();
    const answering = readReviewBody(request, response, room).then(async (read) => {
      const left = timeLeft(query, timeoutMs) - (performance.now() - begun);
      const handled =
        read.outcome === 'read'
          ? await handler.answer(webhook, read.body, Math.max(1, left))
          : ((await handler.answerUnread(read.beginning, read.outcome)) ?? UNREAD_STATUS[read.outcome]);
      if (typeof handled === 'number') return empty(request, response, handled);
      const { status, body: answer } = handled;
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

function empty(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  response.writeHead(status, { 'cache-control': 'no-store' }).end();
}
