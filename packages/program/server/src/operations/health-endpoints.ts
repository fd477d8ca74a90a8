import type { FastifyInstance } from 'fastify';
import type { Readiness } from './readiness.ts';

/** The process answers. */
export const LIVE_PATH = '/livez';
/** It should get requests. */
export const READY_PATH = '/readyz';
export const NOT_READY_STATUS = 503;

/** Mounts both probes. Whoever can reach the server learns from them a status, and nothing about anybody. */
export function mountHealth(app: FastifyInstance, readiness: Readiness): void {
  app.get(LIVE_PATH, (_request, reply) => reply.header('cache-control', 'no-store').send());
  app.get(READY_PATH, (_request, reply) =>
    reply
      .code(readiness.isReady ? 200 : NOT_READY_STATUS)
      .header('cache-control', 'no-store')
      .send(),
  );
}

/** Tells clients that keep connections to open new ones elsewhere, from the moment on at which the server is to end. */
export function closeWhileEnding(app: FastifyInstance, readiness: Readiness): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (readiness.isEnding) reply.header('connection', 'close');
    done(null, payload);
  });
}
