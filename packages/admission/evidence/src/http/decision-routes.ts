import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MOST_DECISION_BYTES } from '../decision/decision-lines.ts';
import {
  type CheckedSender,
  type CheckSender,
  type SenderRefusal,
  SenderRefused,
} from '../decision/decision-sender.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { sendError, sendStatus } from './problem.ts';

/** What decisions are posted to. */
const DECISIONS_PATH = '/decisions';
const MEDIA_TYPE = /^application\/(?:json|x-ndjson|jsonl)(?:;.*)?$/i;
const WORDS = {
  tooLarge: `Decisions are sent in requests of at most ${MOST_DECISION_BYTES} bytes.`,
  mediaType: 'Decisions are sent as application/json, or one a line as application/x-ndjson.',
} as const;

/**
 * `POST /decisions` takes records of admission decisions, in a JSON array or one a line, all or none: 201 where any is
 * new, 200 where all were there already. `checkSender` says who may; anybody where it is absent. Everything else is RFC 9457.
 */
export function registerDecisionRoutes(scope: FastifyInstance, evidence: Evidence, checkSender?: CheckSender): void {
  const senders = new WeakMap<FastifyRequest, CheckedSender & { readonly ok: true }>();
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    MEDIA_TYPE,
    { parseAs: 'buffer', bodyLimit: MOST_DECISION_BYTES },
    (_request, body, done) => done(null, body),
  );
  scope.setErrorHandler((error, _request, reply) =>
    error instanceof SenderRefused ? refuse(reply, error.refusal) : sendError(reply, error, WORDS),
  );
  // Before the body is read: what is refused here leaves it unread, so the connection ends too.
  if (checkSender !== undefined) {
    scope.addHook('onRequest', async (request, reply) => {
      const checked = await checkSender(authorizationsOf(request));
      if (checked.ok) senders.set(request, checked);
      else return refuse(reply.header('connection', 'close'), checked.refusal);
      return undefined;
    });
  }
  scope.post(DECISIONS_PATH, { bodyLimit: MOST_DECISION_BYTES }, async (request, reply) => {
    const { body } = request;
    const bytes = Buffer.isBuffer(body) ? body : new Uint8Array();
    const sender = senders.get(request);
    const { stored, known } = await evidence.importDecisions(bytes, sender?.spend && (() => sender.spend?.()));
    return reply.code(stored > 0 ? 201 : 200).send({ stored, known });
  });
}

function refuse(reply: FastifyReply, { status, code, message, retryAfterSeconds }: SenderRefusal): FastifyReply {
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  return sendStatus(reply, status, { code, detail: message });
}

/** Every `Authorization` header: of several Node would keep the first. */
function authorizationsOf({ raw: { rawHeaders } }: FastifyRequest): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'authorization');
}
