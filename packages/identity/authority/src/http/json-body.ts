import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import type { FastifyInstance } from 'fastify';
import { AuthorityError } from '../authority-error/authority-error.ts';

/** A request whose body was not looked at yet. */
export type RawRequest = {
  readonly headers: { readonly 'content-type'?: string | undefined };
  readonly body: unknown;
};
type JsonLimits = { readonly maxBytes: number; readonly maxDepth?: number };

/**
 * Hands request bodies to the routes of this scope as raw bytes, whatever their media type says: parsing them is the
 * route's own business, so that no trick with a header leads around it.
 */
export function acceptRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/**
 * Reads the request's JSON object strictly.
 * @throws AuthorityError `authority.content_type_unsupported`, `authority.request_malformed`,
 *   `authority.request_too_large`
 */
export function readJsonObject(request: RawRequest, limits: JsonLimits): JsonObject {
  return parseJsonObject(jsonBytes(request), limits);
}

/** The body of a request that says it is JSON. @throws AuthorityError `authority.content_type_unsupported` */
export function jsonBytes({ headers, body }: RawRequest): Uint8Array {
  if (!/^application\/json[ \t]*(?:;|$)/i.test(headers['content-type'] ?? '')) {
    throw new AuthorityError('authority.content_type_unsupported', 'the request body is application/json');
  }
  return body instanceof Uint8Array ? body : new Uint8Array();
}

/** Reads one strict JSON object. @throws AuthorityError `authority.request_malformed`, `authority.request_too_large` */
export function parseJsonObject(bytes: Uint8Array, limits: JsonLimits): JsonObject {
  const parsed = parseStrictJson(bytes, limits);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  const code = parsed.ok ? 'json.syntax' : parsed.issues[0]?.code;
  if (code === 'json.too_large')
    throw new AuthorityError('authority.request_too_large', 'the request body is too large');
  throw new AuthorityError('authority.request_malformed', `the request body is not one strict JSON object (${code})`);
}
