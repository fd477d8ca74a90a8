import { REVIEWER_PROOF_SCHEME } from '@colophon/records';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestKind } from '../media-type/media-type.ts';
import type { MintResult, TokenAsk } from '../minter/minter.ts';
import type { Clock, IssuerWatch, Logger } from '../ports/ports.ts';
import type { RateLimiter } from '../rate-limit/rate-limit.ts';
import type { RefusalLog } from '../refusal-log/refusal-log.ts';
import { refusedWith, renderTokenRefusal, type TokenRefusal } from '../token-refusal/token-refusal.ts';
import { ISSUED_TOKEN_TYPE, readForm } from './form-request.ts';

export const TOKEN_PATH = '/oauth/token';

/** Bytes of a token request's body (contract §8 leaves it open). */
export const DEFAULT_BODY_BYTES = 16 * 1024;
/** The same where it may hold a witness's receipt, as JSON or in a form. */
export const BODY_BYTES_WITH_RECEIPT = 64 * 1024;

export type TokenEndpointOptions = {
  readonly mint: (ask: TokenAsk) => Promise<MintResult>;
  /** Whether callers are asked who they are. */
  readonly asksCallers: boolean;
  readonly lifetimeSeconds: number;
  readonly rates: RateLimiter;
  readonly refusals: RefusalLog;
  readonly bodyBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly watch: IssuerWatch;
};

const ENVELOPE_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };
const TOKEN_HEADERS = { 'content-type': 'application/jwt', 'cache-control': 'no-store' };

/**
 * Mounts `POST /oauth/token` (contract §4.1) with body parsers of its own: the raw bytes reach the strict parser
 * whatever the host application has installed, and nothing here changes the host's other routes.
 */
export async function mountTokenEndpoint(scope: FastifyInstance, options: TokenEndpointOptions): Promise<void> {
  const { mint, asksCallers, lifetimeSeconds, rates, refusals, bodyBytes, clock, logger, watch } = options;
  const challenge = asksCallers ? 'Bearer' : REVIEWER_PROOF_SCHEME;

  function refuse(request: FastifyRequest, reply: FastifyReply, refusal: TokenRefusal): FastifyReply {
    refusals.add(refusal, request.ip, clock.now());
    watch.answered(refusal, reply.elapsedTime);
    const { status, retryAfterSeconds } = refusal;
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    if (status === 401) reply.header('www-authenticate', challenge);
    if (status === 405) reply.header('allow', 'POST');
    return reply
      .code(status)
      .header('content-type', 'application/json')
      .header('cache-control', 'no-store')
      .send(renderTokenRefusal(refusal));
  }

  scope.removeAllContentTypeParsers();
  for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
    scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: bodyBytes }, (_request, body, done) =>
      done(null, body),
    );
  }

  scope.setErrorHandler((error: Error & { code?: string; statusCode?: number }, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.status === 500) logger.error({ code: refusal.code, err: error }, 'a token request failed');
    return refuse(request, reply, refusal);
  });

  // Before the body is read: what is refused here leaves it unread, so the connection ends too.
  scope.addHook('onRequest', (request, reply, done) => {
    const waitSeconds = rates.take(request.ip, clock.now());
    const refusal =
      waitSeconds > 0
        ? { ...RATE_LIMITED, retryAfterSeconds: waitSeconds }
        : request.method !== 'POST'
          ? METHOD_NOT_ALLOWED
          : hasOneContentType(request) && requestKind(request.headers['content-type']) !== undefined
            ? undefined
            : CONTENT_TYPE_UNSUPPORTED;
    if (refusal === undefined) return done();
    reply.header('connection', 'close');
    refuse(request, reply, refusal);
  });

  // Silent: an access log would hold the query string, where some callers put secrets; refusals are logged by us.
  scope.post(TOKEN_PATH, { logLevel: 'silent' }, async (request, reply) => {
    const body = request.body as Buffer;
    const authorizations = asksCallers ? headersNamed('authorization', request) : listOf(request.headers.authorization);
    if (requestKind(request.headers['content-type']) === 'form') {
      const form = readForm(body, asksCallers);
      if (!form.ok) return refuse(request, reply, form.refusal);
      const result = await mint({ body, exchange: form.exchange, authorizations });
      if (!result.ok) return refuse(request, reply, result.refusal);
      watch.answered(undefined, reply.elapsedTime);
      return reply.headers(ENVELOPE_HEADERS).send(envelopeOf(result.token, lifetimeSeconds));
    }
    const result = await mint({ body, authorizations });
    if (!result.ok) return refuse(request, reply, result.refusal);
    watch.answered(undefined, reply.elapsedTime);
    return reply.headers(TOKEN_HEADERS).send(result.token);
  });
  // The hook has answered before this handler could run.
  const methods = scope.supportedMethods.filter((method) => method !== 'POST');
  scope.route({
    method: methods,
    url: TOKEN_PATH,
    exposeHeadRoute: false,
    logLevel: 'silent',
    handler: (_request, reply) => reply,
  });
}

/** Node keeps the first of several Content-Type lines; two lines are two opinions about one body. */
function hasOneContentType(request: FastifyRequest): boolean {
  return headersNamed('content-type', request).length === 1;
}

/** Every value of a header that may stand there several times, however Node would join or drop them. */
function headersNamed(name: string, { raw: { rawHeaders } }: FastifyRequest): string[] {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!;
    if (header.length === name.length && header.toLowerCase() === name) values.push(rawHeaders[i + 1]!);
  }
  return values;
}

function listOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

/** RFC 8693 §2.2.1. */
function envelopeOf(token: string, lifetimeSeconds: number): string {
  return JSON.stringify({
    access_token: token,
    issued_token_type: ISSUED_TOKEN_TYPE,
    token_type: 'N_A',
    expires_in: lifetimeSeconds,
  });
}

/** The one place where an error of the framework becomes an answer; what is not known is 500 with a fixed text. */
function refusalOf(error: { code?: string; statusCode?: number }): TokenRefusal {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return BODY_TOO_LARGE;
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return CONTENT_TYPE_UNSUPPORTED;
  if (error.statusCode === 400) return REQUEST_INVALID;
  return INTERNAL;
}

const RATE_LIMITED: TokenRefusal = {
  ...refusedWith('issuer.rate_limited', 'temporarily_unavailable'),
  message: 'too many requests from this address',
};

const METHOD_NOT_ALLOWED: TokenRefusal = {
  ...refusedWith('issuer.method_not_allowed', 'invalid_request'),
  message: 'the token endpoint answers POST',
};

const CONTENT_TYPE_UNSUPPORTED: TokenRefusal = {
  ...refusedWith('issuer.content_type_unsupported', 'invalid_request'),
  message: 'the request needs exactly one Content-Type, application/json, with no parameter but charset=utf-8',
};

const BODY_TOO_LARGE: TokenRefusal = {
  ...refusedWith('issuer.body_too_large', 'invalid_request'),
  message: 'the body is larger than a token request may be: 64 KiB, unless the operator says otherwise',
};

const REQUEST_INVALID: TokenRefusal = {
  ...refusedWith('issuer.request_invalid', 'invalid_request'),
  message: 'the request is not well-formed HTTP',
};

const INTERNAL: TokenRefusal = {
  ...refusedWith('issuer.internal', 'server_error'),
  message: 'the issuer failed; nothing was issued',
};
