import { join } from 'node:path';
import { openDatabase } from '@colophon/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Aside } from '../aside/aside.ts';
import { ByteBudget } from '../body-budget/byte-budget.ts';
import { BlobFiles, type OpenFile } from './blob-files.ts';
import { ContentEndpoint } from './content-endpoint.ts';
import { ListingEndpoint } from './listing-endpoint.ts';
import { OciError, toOciError } from './oci-error.ts';
import { RegistryIndex } from './registry-index.ts';
import { parseRegistryPath } from './registry-path.ts';
import { UploadEndpoint } from './upload-endpoint.ts';
import { Uploads } from './uploads.ts';

/** One layer of an image; pushed in a stream, so this is a bound on disk, not on memory. */
export const DEFAULT_MAX_BLOB_BYTES = 2 * 1024 ** 3;
/** A push that sends nothing for so long is cut off. */
export const DEFAULT_BODY_IDLE_MS = 30_000;
/** A manifest must have arrived within this time; a blob's bytes may take longer, yet not at any rate. */
export const DEFAULT_BODY_GRACE_MS = 60_000;
/** Slowest push of a blob: far below what any disk and loopback do, far above what keeps a connection for nothing. */
export const MIN_BLOB_BYTES_PER_SECOND = 16 * 1024;

export type RegistryOptions = {
  /** Blobs, and the index `registry.db`, are kept here. */
  readonly folder: string;
  readonly maxBlobBytes?: number;
  readonly bodyIdleMs?: number;
  readonly bodyGraceMs?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly openFile?: OpenFile;
  /** What manifests share with the large bodies of other APIs. Default: no bound but each one's own. */
  readonly bodies?: ByteBudget;
  /** Reads large manifests. Default: on the spot. */
  readonly aside?: Aside;
};

/** A small OCI registry: push, pull, tags and referrers of the distribution spec 1.1. Deletion is refused with 405. */
export type Registry = {
  /** Mounts everything under /v2/ of the application. */
  register(app: FastifyInstance): Promise<void>;
  close(): void;
};

/** Opens the registry of `folder`, with what was pushed before. Unfinished uploads are dropped. */
export function createRegistry(options: RegistryOptions): Registry {
  const { folder, maxBlobBytes = DEFAULT_MAX_BLOB_BYTES, openFile } = options;
  const pace = {
    idleMs: options.bodyIdleMs ?? DEFAULT_BODY_IDLE_MS,
    graceMs: options.bodyGraceMs ?? DEFAULT_BODY_GRACE_MS,
  };
  const files = new BlobFiles({ folder, ...(openFile === undefined ? {} : { openFile }) });
  const db = openDatabase(join(folder, 'registry.db'));
  const index = new RegistryIndex(db);
  const uploads = new Uploads({ files, maxBlobBytes, now: options.now ?? Date.now });
  const endpoints: Endpoints = {
    uploads: new UploadEndpoint({
      uploads,
      index,
      maxBlobBytes,
      pace: { ...pace, bytesPerSecond: MIN_BLOB_BYTES_PER_SECOND },
    }),
    content: new ContentEndpoint({
      files,
      index,
      pace,
      bodies: options.bodies ?? new ByteBudget(Number.POSITIVE_INFINITY),
      aside: options.aside ?? new Aside(),
    }),
    listings: new ListingEndpoint({ index }),
  };
  return {
    async register(app) {
      await app.register(async (scope) => mountRoutes(scope, endpoints));
    },
    close: () => db.close(),
  };
}

type Endpoints = { uploads: UploadEndpoint; content: ContentEndpoint; listings: ListingEndpoint };

function mountRoutes(scope: FastifyInstance, endpoints: Endpoints): void {
  // Bodies are streamed by the endpoints themselves, whatever their type is said to be.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  for (const url of ['/v2', '/v2/', '/v2/*']) {
    scope.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url,
      exposeHeadRoute: false,
      handler: (request, reply) => dispatch(request, reply, endpoints),
    });
  }
}

async function dispatch(request: FastifyRequest, reply: FastifyReply, endpoints: Endpoints): Promise<FastifyReply> {
  const { uploads, content, listings } = endpoints;
  const [rawPath = '', rawQuery = ''] = request.url.split('?', 2);
  const path = parseRegistryPath(rawPath);
  const query = new URLSearchParams(rawQuery);
  const method = request.method;
  const isRead = method === 'GET' || method === 'HEAD';
  reply.header('docker-distribution-api-version', 'registry/2.0').header('x-content-type-options', 'nosniff');

  switch (path.kind) {
    case 'base':
      if (isRead) return reply.type('application/json').send('{}');
      break;
    case 'blob':
      if (isRead) return content.getBlob(request, reply, path.repository, path.digest);
      break;
    case 'manifest':
      if (isRead) return content.getManifest(request, reply, path.repository, path.reference);
      if (method === 'PUT') return content.putManifest(request, reply, path.repository, path.reference, query);
      break;
    case 'tags':
      if (isRead) return listings.tags(reply, path.repository, query);
      break;
    case 'referrers':
      if (isRead) return listings.referrers(reply, path.repository, path.digest, query);
      break;
    case 'uploads':
      if (method === 'POST') return uploads.begin(request, reply, path.repository, query);
      break;
    case 'upload':
      if (method === 'GET') return uploads.status(reply, path.repository, path.id);
      if (method === 'PATCH') return uploads.append(request, reply, path.repository, path.id);
      if (method === 'PUT') return uploads.finish(request, reply, path.repository, path.id, query);
      if (method === 'DELETE') return uploads.cancel(reply, path.repository, path.id);
      break;
  }
  throw new OciError(405, 'UNSUPPORTED', 'the registry does not do this; nothing that was pushed is ever deleted', {
    headers: { allow: ALLOWED[path.kind] },
  });
}

const ALLOWED = {
  base: 'GET, HEAD',
  blob: 'GET, HEAD',
  manifest: 'GET, HEAD, PUT',
  tags: 'GET, HEAD',
  referrers: 'GET, HEAD',
  uploads: 'POST',
  upload: 'GET, PATCH, PUT, DELETE',
} as const;

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toOciError(error);
  if (refusal.status >= 500) request.log.error({ err: refusal.cause }, refusal.message);
  // What is left of a body that was refused is not waited for.
  if (!request.raw.readableEnded) reply.header('connection', 'close');
  reply.removeHeader('content-length');
  return reply
    .code(refusal.status)
    .headers(refusal.headers)
    .type('application/json')
    .send(JSON.stringify({ errors: [{ code: refusal.code, message: refusal.message }] }));
}
