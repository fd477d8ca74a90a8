import type { FastifyInstance } from 'fastify';
import { ServerError } from '../server-error/server-error.ts';
import type { ByteBudget } from './byte-budget.ts';

/** Bodies up to this many bytes are not counted: a token's, a certificate's, a question's. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** Bytes of all larger bodies that may be on their way or being answered at once. */
export const LARGE_BODIES_BYTES = 32 * 1024 * 1024;
/** When a body that found no room may be sent again. */
export const BUSY_RETRY_SECONDS = 1;

/**
 * One budget for the large bodies of every API. A body takes what it announces, or what its route allows where it
 * announces nothing, from its header on until its answer is out. One that finds no room is refused in the form of its
 * API before it is read. What the registry streams to disk is not counted; its manifests take their share themselves.
 */
export function limitLargeBodies(app: FastifyInstance, budget: ByteBudget): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { routeOptions, headers, raw } = request;
    const limit = request.url.startsWith('/v2') ? 0 : (routeOptions.bodyLimit ?? 0);
    const isChunked = headers['transfer-encoding'] !== undefined;
    // What is longer than its route allows is refused by its length, and never held.
    const bytes = isChunked ? limit : Math.min(Number(headers['content-length'] ?? 0), limit);
    if (bytes <= SMALL_BODY_BYTES) return done();
    const giveBack = budget.take(bytes);
    if (giveBack === undefined) {
      reply.header('retry-after', String(BUSY_RETRY_SECONDS));
      return done(new ServerBusy());
    }
    reply.raw.once('close', giveBack);
    if (raw.destroyed) giveBack();
    return done();
  });
}

/** There is no room for a large body now. Each API shows the status in its own form. */
export class ServerBusy extends ServerError {
  readonly statusCode = ServerError.statusOf('server.busy');
  constructor() {
    super('server.busy', 'too many large requests at once: send it again in a moment');
  }
}
