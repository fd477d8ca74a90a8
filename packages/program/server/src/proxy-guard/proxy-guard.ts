import type { BlockList } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { hasAddress } from '../configuration/address-rule.ts';
import { ServerError } from '../server-error/server-error.ts';

/** Answers the named proxies only: whoever else reaches the port could say that anybody asks. */
export function guardProxies(app: FastifyInstance, proxies: BlockList): void {
  const status = ServerError.statusOf('server.proxy_unknown');
  app.addHook('onRequest', (request, reply, done) => {
    const address = request.raw.socket.remoteAddress ?? '';
    if (hasAddress(proxies, address)) return done();
    app.log.warn({ code: 'server.proxy_unknown', status, address }, 'request refused');
    reply
      .code(status)
      .type('application/problem+json')
      .headers({ 'cache-control': 'no-store', connection: 'close' })
      .send({
        type: 'about:blank',
        title: 'Forbidden',
        status,
        code: 'server.proxy_unknown',
        detail: 'this server answers its proxies only',
      });
  });
}
