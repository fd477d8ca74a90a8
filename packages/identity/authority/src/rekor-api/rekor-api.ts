import type { TreeHead } from '@colophon/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { RETRY_AFTER_SECONDS, refusalOf } from '../http/http-status.ts';
import { acceptRawBodies, jsonBytes, readJsonObject } from '../http/json-body.ts';
import type { LogEntry, LogTree } from '../transparency-log/log-tree.ts';
import { LogEntryExists, type TransparencyLog } from '../transparency-log/transparency-log.ts';
import { MAX_ENTRY_BYTES, type ReadBody } from './body-readers.ts';
import { parseEntryId } from './entry-id.ts';
import { findEntries } from './entry-query.ts';
import { searchIndex } from './index-query.ts';

/** Bytes of every other request. */
export const MAX_QUERY_BYTES = 64 * 1024;

const ENTRIES = '/api/v1/log/entries';
const INDEX = '/api/v1/index/retrieve';

/**
 * Mounts the transparency log on Rekor v1's HTTP API. Refusals have Rekor's shape, `{code, message}`; the message ends
 * in our stable code. `readBody` reads those bodies that may be large.
 */
export function registerRekorApi(app: FastifyInstance, log: TransparencyLog, readBody: ReadBody): void {
  app.register(async (scope) => {
    acceptRawBodies(scope);
    scope.setErrorHandler((error, request, reply) => refuse(error, request, reply));

    scope.post(ENTRIES, { bodyLimit: MAX_ENTRY_BYTES }, async (request, reply) => {
      const entry = await log.addLogEntry(await readBody('logEntry', jsonBytes(request)));
      return reply
        .code(201)
        .header('etag', entry.uuid)
        .header('location', `${ENTRIES}/${entry.uuid}`)
        .send(renderEntry(entry));
    });
    scope.get(ENTRIES, async ({ query }) => found(log.findByIndex(number(query, 'logIndex', 0))));
    scope.get<{ Params: { entryUUID: string } }>(`${ENTRIES}/:entryUUID`, async ({ params }) =>
      found(log.findById(parseEntryId(params.entryUUID))),
    );
    scope.post(`${ENTRIES}/retrieve`, { bodyLimit: MAX_ENTRY_BYTES }, async (request) => {
      return findEntries(await readBody('logQuery', jsonBytes(request)), log).map(renderEntry);
    });
    scope.post(INDEX, { bodyLimit: MAX_QUERY_BYTES }, async (request, reply) => {
      const after = isGiven(request.query, 'after') ? number(request.query, 'after', 0) : undefined;
      const { uuids, next } = searchIndex(readJsonObject(request, { maxBytes: MAX_QUERY_BYTES }), log, after);
      // Rekor's answer has no pages: the list stays a list, and who knows no Link header reads the oldest ids.
      if (next !== undefined) reply.header('link', `<${INDEX}?after=${next}>; rel="next"`);
      return uuids;
    });

    scope.get('/api/v1/log', async () => {
      const head = await log.head();
      return {
        // Each has a head, or it were none.
        inactiveShards: log.frozen.map((tree) => renderTree(tree, tree.tree.head()!)),
        ...renderTree(log.active, head),
      };
    });
    scope.get('/api/v1/log/proof', async ({ query }) => {
      const tree = treeOf(query, log);
      const { root, proof } = tree.consistency(number(query, 'firstSize', 1, 1), number(query, 'lastSize', 1));
      return { hashes: proof.map(hex), rootHash: hex(root) };
    });
    scope.get('/api/v1/log/publicKey', async ({ query }, reply) => {
      return reply.type('application/x-pem-file').send(treeOf(query, log).publicPem());
    });
  });
}

/** An entry as Rekor answers: under its id. */
export function renderEntry({ uuid, ...entry }: LogEntry): Record<string, Omit<LogEntry, 'uuid'>> {
  return { [uuid]: entry };
}

function found(entry: LogEntry | undefined): Record<string, Omit<LogEntry, 'uuid'>> {
  if (entry === undefined) throw new AuthorityError('authority.not_found', 'the log has no such entry');
  return renderEntry(entry);
}

function renderTree({ treeId }: LogTree, { size, root, note }: TreeHead) {
  return { rootHash: hex(root), signedTreeHead: note, treeID: String(treeId), treeSize: size };
}

/** @throws AuthorityError `authority.range_invalid` */
function treeOf(query: unknown, log: TransparencyLog): LogTree {
  const { treeID } = query as { treeID?: unknown };
  const isNamed = treeID !== undefined && treeID !== '';
  const tree = isNamed ? [log.active, ...log.frozen].find(({ treeId }) => String(treeId) === treeID) : log.active;
  if (tree !== undefined) return tree;
  throw new AuthorityError('authority.range_invalid', 'this log has no tree of that id');
}

function isGiven(query: unknown, name: string): boolean {
  return (query as Record<string, unknown>)[name] !== undefined;
}

function number(query: unknown, name: string, min: number, fallback?: number): number {
  const value = (query as Record<string, unknown>)[name] ?? fallback;
  const parsed = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof parsed !== 'number' || parsed < min) {
    throw new AuthorityError('authority.request_malformed', `${name} is a number from ${min} on`);
  }
  return parsed;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, code, message } = refusalOf(error);
  if (status >= 500) request.log.error({ err: error }, 'log request failed');
  if (status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (error instanceof LogEntryExists) reply.header('location', `${ENTRIES}/${error.uuid}`);
  const isEntry = code.startsWith('authority.entry_') && status === 400;
  return reply
    .code(status)
    .send({ code: status, message: `${isEntry ? 'error processing entry: ' : ''}${message} [${code}]` });
}
