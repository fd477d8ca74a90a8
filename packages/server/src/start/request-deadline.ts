import type { FastifyInstance } from 'fastify';

/** A whole request must have arrived within this time. */
export const REQUEST_TIMEOUT_MS = 15_000;

/**
 * Cuts off whoever trickles a body. Pushes to the registry are streamed and have a bound of their own.
 * To be called before anything that answers early: what is left of a refused request's body must end in time, too.
 */
export function limitRequestTime(app: FastifyInstance, timeoutMs: number): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    const hasBody = raw.headers['content-length'] !== undefined || raw.headers['transfer-encoding'] !== undefined;
    if (hasBody && !request.url.startsWith('/v2/')) {
      const timer = setTimeout(() => raw.destroy(), timeoutMs);
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}
