import type { FastifyInstance } from 'fastify';

/** A whole request must have arrived within this time. */
export const REQUEST_TIMEOUT_MS = 15_000;

/** Cuts off whoever trickles a body; pushes to the registry are streamed and have a bound of their own. */
export function limitRequestTime(app: FastifyInstance, timeoutMs: number = REQUEST_TIMEOUT_MS): void {
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
