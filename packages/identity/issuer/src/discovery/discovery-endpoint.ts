import type { FastifyInstance } from 'fastify';
import type { StaticDocument } from './discovery.ts';

export const DISCOVERY_PATH = '/.well-known/openid-configuration';
export const JWKS_PATH = '/.well-known/jwks.json';

/** Seconds for which readers may keep discovery document and key set. */
export const DOCUMENT_MAX_AGE_SECONDS = 300;

/** Mounts a document that is the same bytes under any Host, Forwarded or Accept header (contract §4.1). */
export function mountDocument(
  scope: FastifyInstance,
  path: string,
  maxAgeSeconds: number,
  documentNow: () => StaticDocument,
): void {
  const cacheControl = `public, max-age=${maxAgeSeconds}`;
  scope.get(path, (request, reply) => {
    const { body, etag } = documentNow();
    reply.headers({ 'cache-control': cacheControl, etag });
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.header('content-type', 'application/json').send(body);
  });
}

/** RFC 9110 §13.1.2, weak comparison. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((candidate) => {
    const tag = candidate.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
