import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Cleanup } from '../cleanup/cleanup.ts';
import { mergePatched, type StoredObject } from './object-changes.ts';

/** One question that arrived. */
export type ApiRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  /** The JSON in its body; undefined where it has none. */
  readonly body: unknown;
};

/** An answer instead of the right one; `never` leaves the caller waiting. */
export type WrongApiAnswer = 'never' | { readonly status: number; readonly body?: unknown };

export type ApiServerOptions = {
  /** Certificate and key of a server with TLS; plain HTTP where absent. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Told of each question before it is answered; an error, or an answer, comes instead of the right one. */
  readonly before?: (request: ApiRequest) => WrongApiAnswer | undefined | Promise<WrongApiAnswer | undefined>;
};

export type ApiServer = {
  readonly url: string;
  readonly requests: readonly ApiRequest[];
  /** By path, e.g. `/api/v1/namespaces/shop/pods/web`. */
  readonly objects: ReadonlyMap<string, StoredObject>;
  /** Has an object there, as if somebody else had written it. */
  put(path: string, object: object): void;
};

type Answer = { readonly status: number; readonly body: unknown };

/**
 * The part of a Kubernetes API that is objects with versions: reading, lists in pages, creating, replacing and merge
 * patches; on loopback, until `cleanup`. It knows no schema: every path holds what is written to it.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
export async function startApiServer(cleanup: Cleanup, options: ApiServerOptions = {}): Promise<ApiServer> {
  const requests: ApiRequest[] = [];
  const objects = new Map<string, StoredObject>();
  let version = 100;

  const put = (path: string, object: object): StoredObject => {
    version += 1;
    const name = path.split('/').at(-1);
    const stored = structuredClone(object) as StoredObject;
    stored['metadata'] = { name, ...(stored['metadata'] as object), resourceVersion: `${version}` };
    objects.set(path, stored);
    return stored;
  };

  function answerOf({ method, path, query, contentType, body }: ApiRequest): Answer {
    const stored = objects.get(path);
    if (method === 'POST') {
      const { metadata } = body as { metadata: { name: string } };
      const at = `${path}/${metadata.name}`;
      if (objects.has(at)) return failure(409, 'AlreadyExists', `${at} already exists`);
      return { status: 201, body: put(at, body as object) };
    }
    if (method === 'GET' && stored === undefined && isCollection(path)) return listOf(path, query);
    if (stored === undefined) return failure(404, 'NotFound', `${path} not found`);
    if (method === 'GET') return { status: 200, body: stored };
    const written = method === 'PUT' ? (body as StoredObject) : patchedBy(stored, contentType, body);
    if (written === undefined) return failure(422, 'Invalid', 'the server rejected our request due to an error in it');
    const isCurrent = versionOf(written) === undefined || versionOf(written) === versionOf(stored);
    if (!isCurrent) return failure(409, 'Conflict', `Operation cannot be fulfilled on ${path}`);
    // What changes nothing has no new version.
    if (JSON.stringify(written) === JSON.stringify(stored)) return { status: 200, body: stored };
    return { status: 200, body: put(path, written) };
  }

  function listOf(path: string, query: URLSearchParams): Answer {
    const [, base = '', plural = ''] = /^(.*)\/([^/]+)$/.exec(path) ?? [];
    const isIn = new RegExp(
      `^${base}${base.includes('/namespaces/') ? '' : '(?:/namespaces/[^/]+)?'}/${plural}/[^/]+$`,
    );
    const all = [...objects].filter(([at]) => isIn.test(at)).map(([, object]) => object);
    const from = Number(query.get('continue') ?? 0);
    const to = from + Number(query.get('limit') ?? all.length);
    const metadata = { resourceVersion: `${version}`, ...(to < all.length && { continue: `${to}` }) };
    return { status: 200, body: { kind: 'List', apiVersion: 'v1', metadata, items: all.slice(from, to) } };
  }

  const listener: RequestListener = async (request, response) => {
    const { method = 'GET', headers } = request;
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://api');
    const sent = await text(request);
    const { authorization, 'content-type': contentType } = headers;
    const asked = { method, path, query, authorization, contentType, body: sent === '' ? undefined : JSON.parse(sent) };
    requests.push(asked);
    const wrong = await options.before?.(asked);
    if (wrong === 'never') return;
    const { status, body } = wrong ?? answerOf(asked);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  };
  const { tls } = options;
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  cleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${tls === undefined ? 'http' : 'https'}://localhost:${port}`, requests, objects, put };
}

/** Paths alternate between names of kinds and names of objects. */
function isCollection(path: string): boolean {
  const parts = path.split('/').slice(path.startsWith('/apis/') ? 4 : 3);
  return parts.length % 2 === 1;
}

/** @see RFC 7396 */
function patchedBy(stored: StoredObject, contentType: string | undefined, body: unknown): StoredObject | undefined {
  return contentType === 'application/merge-patch+json' ? (mergePatched(stored, body) as StoredObject) : undefined;
}

function versionOf({ metadata }: StoredObject): unknown {
  return (metadata as { resourceVersion?: unknown } | undefined)?.resourceVersion;
}

function failure(code: number, reason: string, message: string): Answer {
  return { status: code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message } };
}
