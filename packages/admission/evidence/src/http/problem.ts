import { StoreError } from '@colophon/store';
import type { FastifyReply } from 'fastify';
import { EvidenceError, type EvidenceErrorCode } from '../evidence-error/evidence-error.ts';
import type { QueryIssueCode } from '../query/query-issue.ts';

/** A question that cannot be read is the caller's mistake. */
const QUESTION_STATUS = 400;

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

type ProblemCode = EvidenceErrorCode | QueryIssueCode | 'store.unavailable';
type Problem = { readonly code: ProblemCode; readonly detail: string; readonly [member: string]: unknown };

/** What is said where a body is refused before any of it is read. */
export type BodyWords = { readonly tooLarge: string; readonly mediaType: string };

/** Answers with RFC 9457 and the status of the code. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return sendStatus(reply, statusOf(problem.code), problem);
}

/** The same for a code of somebody else, which comes with its status. */
export function sendStatus(
  reply: FastifyReply,
  status: number,
  problem: { readonly code: string; readonly detail: string },
): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', title: TITLES[status], status, ...problem }));
}

function statusOf(code: ProblemCode): number {
  if (code === 'store.unavailable') return StoreError.statusOf(code);
  return isQuestion(code) ? QUESTION_STATUS : EvidenceError.statusOf(code);
}

function isQuestion(code: ProblemCode): code is QueryIssueCode {
  return code.startsWith('query.');
}

/** The one place where an error becomes an answer; what is not known is 500 with a fixed text, the cause to the log. */
export function sendError(reply: FastifyReply, error: unknown, words: BodyWords): FastifyReply {
  if (error instanceof EvidenceError) {
    const { code, message, reason, issues } = error;
    if (EvidenceError.statusOf(code) === 503) {
      reply.log.error({ err: error, cause: error.cause }, 'the evidence store cannot answer at the moment');
      reply.header('retry-after', '5');
    }
    const more = issues.length === 0 ? {} : { issues };
    return sendProblem(reply, { code, detail: message, reason, ...more });
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 503) {
    reply.header('retry-after', '1');
    return sendProblem(reply, { code: 'evidence.busy', detail: 'Too many large requests at once.' });
  }
  if (status === 413) return sendProblem(reply, { code: 'evidence.too_large', detail: words.tooLarge });
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return sendProblem(reply, { code: 'evidence.media_type', detail: words.mediaType });
  }
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return sendProblem(reply, {
      code: 'evidence.bundle_malformed',
      detail: 'The body has another length than announced.',
    });
  }
  if (code === 'store.unavailable') {
    reply.header('retry-after', '5');
    return sendProblem(reply, { code: 'store.unavailable', detail: 'Nothing can be stored now.' });
  }
  reply.log.error({ err: error }, 'a request for evidence failed');
  return sendProblem(reply, { code: 'evidence.internal', detail: 'Something went wrong here.' });
}
