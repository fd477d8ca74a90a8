import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** A whole request must have arrived within this time. */
export const REQUEST_TIMEOUT_MS = 15_000;

/** Of requests whose bodies are on their way. */
const deadlines = new WeakMap<IncomingMessage, { begin(): void; end(): void }>();

/**
 * Cuts off whoever trickles a body, at whatever path, also one that nobody reads: but for a body that is read with a pace of
 * its own, as long as it is read. To be called before anything that answers early: what is left of a refused request's body
 * must end in time, too.
 */
export function limitRequestTime(app: FastifyInstance, timeoutMs: number): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers;
    if (length !== '0' || coding !== undefined) {
      let timer: NodeJS.Timeout | undefined;
      const end = () => clearTimeout(timer);
      const begin = () => {
        end();
        timer = setTimeout(() => raw.destroy(), timeoutMs);
      };
      deadlines.set(raw, { begin, end });
      raw.once('close', end);
      begin();
    }
    done();
  });
}

/** The time of a request stands still while its body is read with a pace of its own; what is called after that has it begin anew. */
export function suspendRequestTime(raw: IncomingMessage): () => void {
  const deadline = deadlines.get(raw);
  deadline?.end();
  return () => {
    if (!raw.closed && !raw.readableEnded) deadline?.begin();
  };
}
