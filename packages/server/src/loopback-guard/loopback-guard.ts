import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);
const FORWARDING_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];

/** Why a request is not one that a program on this machine made by itself, or undefined where it may be. */
export function loopbackRefusal(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): { code: string; message: string } | undefined {
  const host = headers['host'];
  const name = typeof host === 'string' ? host.replace(/:\d{1,5}$/, '').toLowerCase() : '';
  if (!LOOPBACK_NAMES.has(name)) {
    return { code: 'server.host_not_loopback', message: 'Host must be localhost, 127.0.0.1 or [::1]' };
  }
  // A browser sends Origin; a page on the web must not be able to mint a token (DNS rebinding, CSRF).
  if (headers['origin'] !== undefined) {
    return { code: 'server.origin_refused', message: 'requests from web pages are refused' };
  }
  if (FORWARDING_HEADERS.some((header) => headers[header] !== undefined)) {
    return { code: 'server.forwarded_refused', message: 'requests through a proxy are refused' };
  }
  return undefined;
}

/** Puts the guard before every route: without caller authentication, only this machine's own programs are served. */
export function guardLoopback(app: FastifyInstance): void {
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const refusal = loopbackRefusal(request.headers);
    if (refusal === undefined) return;
    return reply
      .code(403)
      .type('application/problem+json')
      .header('cache-control', 'no-store')
      .send({ type: 'about:blank', title: 'Forbidden', status: 403, code: refusal.code, detail: refusal.message });
  });
}
