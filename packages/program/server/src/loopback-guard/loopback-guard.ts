import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServerError, type ServerErrorCode } from '../server-error/server-error.ts';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);
const FORWARDING_HEADERS = ['forwarded', 'x-real-ip', 'via'];
const FORWARDING_PREFIXES = ['x-forwarded-', 'x-original-'];

type Refusal = { readonly status: number; readonly code: ServerErrorCode; readonly message: string };

/** What a request says beside its headers by name. */
type RequestLine = {
  /** Names and values by turns, as they came. */
  readonly rawHeaders?: readonly string[];
  /** The request target. */
  readonly url?: string;
};

/**
 * Why a request is not one that a program on this machine made by itself, or undefined where it may be. There is one
 * `Host`, and a target that names a host names the same (RFC 9112 §3.2): no two readers may understand it differently.
 */
export function loopbackRefusal(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  { rawHeaders = [], url = '/' }: RequestLine = {},
): Refusal | undefined {
  const host = headers['host'];
  const name = typeof host === 'string' ? host.replace(/:\d{1,5}$/, '').toLowerCase() : '';
  if (rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length > 1) {
    return { status: 400, code: 'server.host_not_loopback', message: 'a request has one Host' };
  }
  if (!LOOPBACK_NAMES.has(name)) {
    return refuse('server.host_not_loopback', 'Host must be localhost, 127.0.0.1 or [::1]');
  }
  if (!url.startsWith('/') && url !== '*' && targetHost(url) !== String(host).toLowerCase()) {
    return refuse('server.host_not_loopback', 'the request target names another host than Host');
  }
  // A browser sends one of them; a page on the web must not be able to mint a token (DNS rebinding, CSRF).
  const site = headers['sec-fetch-site'] ?? 'none';
  if (headers['origin'] !== undefined || (site !== 'none' && site !== 'same-origin')) {
    return refuse('server.origin_refused', 'requests from web pages are refused');
  }
  const isForwarding = (header: string) =>
    FORWARDING_HEADERS.includes(header) || FORWARDING_PREFIXES.some((prefix) => header.startsWith(prefix));
  if (Object.keys(headers).some(isForwarding)) {
    return refuse('server.forwarded_refused', 'requests through a proxy are refused');
  }
  return undefined;
}

/** Puts the guard before every route: without caller authentication, only this machine's own programs are served. */
export function guardLoopback(app: FastifyInstance): void {
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const { rawHeaders, url = '/' } = request.raw;
    const refusal = loopbackRefusal(request.headers, { rawHeaders, url });
    if (refusal === undefined) return;
    const { status, code, message } = refusal;
    app.log.warn({ code, status, address: request.raw.socket.remoteAddress }, 'request refused');
    const title = status === 400 ? 'Bad Request' : 'Forbidden';
    return reply
      .code(status)
      .type('application/problem+json')
      .header('cache-control', 'no-store')
      .send({ type: 'about:blank', title, status, code, detail: message });
  });
}

function refuse(code: ServerErrorCode, message: string): Refusal {
  return { status: ServerError.statusOf(code), code, message };
}

function targetHost(url: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]?.toLowerCase();
}
