import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  contentTypeOf,
  INDEX_FILE,
  INDEX_LIMITS,
  isPointerFile,
  isPublicationFile,
  latestFile,
  PAGE_FILE,
  type PublicationIndex,
  PublishingError,
  parseIndex,
  WELL_KNOWN_PATH,
} from '@colophon/publishing/publication-rules';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseRange } from '../registry/byte-range.ts';
import { ServerError, type ServerErrorCode } from '../server-error/server-error.ts';

const PATH = `/${WELL_KNOWN_PATH}`;
const FROZEN = 'public, max-age=31536000, immutable';
const READ_ONLY = 'published SBOMs are read here: `colophon sbom publish` writes them, and nothing deletes them early';
/** Links are not followed, and a pipe of that name is not waited for. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** How many `-latest` files are remembered. */
const MOST_VERSIONS = 1_000;
const LATEST_SIGNATURE = /^(.+)-latest\.cdx\.json\.(?:sig|sigstore\.json)$/;
/** The page has its style inside and nothing else; what is not a page must not become one. */
const SAFETY = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

/**
 * Published SBOMs as static files, read-only (contract §4.2). They lie below `root` as `colophon sbom publish` lays them
 * out; no link is followed, and no name outside the layout is ever looked for.
 */
export function serveSbomFiles(app: FastifyInstance, root: string): void {
  const folder = join(root, WELL_KNOWN_PATH);
  const versions = new Map<string, string>();
  app.route({
    method: ['GET', 'HEAD'],
    url: PATH,
    handler: (_request, reply) => reply.redirect(`${PATH}/`, 308),
  });
  app.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: `${PATH}/*`,
    handler: (request, reply) =>
      sendFile(request, reply, { root, folder, versions, name: request.params['*'] || PAGE_FILE }),
  });
  for (const url of [PATH, `${PATH}/*`]) {
    app.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      // Before a body is read, or its type looked at.
      onRequest: async (_request, reply) => {
        reply.header('allow', 'GET, HEAD');
        return problem(reply, 'Method Not Allowed', 'server.method_not_allowed', READ_ONLY);
      },
      handler: () => undefined,
    });
  }
}

type Wanted = {
  readonly root: string;
  readonly folder: string;
  readonly name: string;
  /** Tag of a `-latest` → the version's file. */
  readonly versions: Map<string, string>;
};

async function sendFile(request: FastifyRequest, reply: FastifyReply, wanted: Wanted): Promise<FastifyReply> {
  const { name } = wanted;
  const isKnown = name === INDEX_FILE || name === PAGE_FILE || isPublicationFile(name);
  const file = isKnown ? await openFile(wanted) : undefined;
  if (file === undefined) return notFound(reply, name);
  let isStreaming = false;
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) return notFound(reply, name);
    const tag = tagOf(stats);
    reply
      .headers(SAFETY)
      .header('content-type', contentTypeOf(name))
      .header('cache-control', isPointerFile(name) ? 'no-cache' : FROZEN)
      .header('etag', tag)
      .header('last-modified', stats.mtime.toUTCString())
      .header('accept-ranges', 'bytes');
    const location = await versionOfLatest(file, wanted, tag);
    if (location !== undefined) reply.header('content-location', `${PATH}/${encodeURIComponent(location)}`);
    if (isUnchanged(request, tag, stats)) return reply.code(304).send();

    const size = Number(stats.size);
    const range = parseRange(wantedRange(request, tag), size);
    if (range === 'unsatisfiable') {
      reply.header('content-range', `bytes */${size}`);
      return problem(reply, 'Range Not Satisfiable', 'server.range_unsatisfiable', `the file has ${size} bytes`);
    }
    const part = range === 'whole' ? { start: 0, end: size - 1 } : range;
    const length = part.end - part.start + 1;
    reply.header('content-length', length);
    if (range !== 'whole') reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`);
    if (request.method === 'HEAD' || length === 0) return reply.send();
    isStreaming = true;
    return reply.send(file.createReadStream({ ...part, autoClose: true }));
  } finally {
    if (!isStreaming) await file.close();
  }
}

/** The file itself: neither it nor a folder on the way below `root` is a link. */
async function openFile({ root, folder, name }: Wanted): Promise<FileHandle | undefined> {
  let path = root;
  for (const part of WELL_KNOWN_PATH.split('/')) {
    path = join(path, part);
    const stats = await lstat(path).catch(nothing);
    if (!stats?.isDirectory()) return undefined;
  }
  return open(join(folder, name), FLAGS).catch(nothing);
}

function nothing(error: NodeJS.ErrnoException): undefined {
  // What is not there and what is no file are the same to a reader; a full table of files is not.
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO', 'ENAMETOOLONG'].includes(error.code ?? '')) return undefined;
  throw error;
}

/** A file that is swapped is another one, also within a tick of the clock. */
function tagOf({ ino, mtimeNs, size }: BigIntStats): string {
  return `"${[ino, mtimeNs, size].map((number) => number.toString(36)).join('-')}"`;
}

/** @see RFC 9110 §13.2.2: where there is a tag, the date says nothing */
function isUnchanged({ headers }: FastifyRequest, tag: string, { mtimeMs }: BigIntStats): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
  }
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return !Number.isNaN(since) && Math.floor(Number(mtimeMs) / 1000) * 1000 <= since;
}

/** A part of another file than the reader has the rest of is of no use (RFC 9110 §13.1.5). */
function wantedRange({ method, headers }: FastifyRequest, tag: string): string | undefined {
  const condition = headers['if-range'];
  return method === 'GET' && (condition === undefined || condition === tag) ? headers.range : undefined;
}

/**
 * Which version a `-latest` is, by its own bytes: whoever reads it finds the signature beside that one. Nothing, where
 * it is no such file, or the index does not know its content.
 */
async function versionOfLatest(file: FileHandle, { folder, name, versions }: Wanted, tag: string) {
  if (name === INDEX_FILE || name === PAGE_FILE || !isPointerFile(name)) return undefined;
  const known = versions.get(tag);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) hash.update(chunk as Uint8Array);
  const digest = `sha256:${hash.digest('hex')}`;
  const artifact = name.slice(0, -latestFile('').length);
  const published = (await readIndex(folder))?.artifacts.find((one) => one.artifact === artifact)?.versions ?? [];
  const found = published.find(({ document }) => document.digest === digest)?.document.file;
  if (found !== undefined) {
    if (versions.size >= MOST_VERSIONS) versions.clear();
    versions.set(tag, found);
  }
  return found;
}

async function readIndex(folder: string): Promise<PublicationIndex | undefined> {
  const file = await open(join(folder, INDEX_FILE), FLAGS).catch(nothing);
  try {
    const size = (await file?.stat())?.size ?? 0;
    return file === undefined || size > INDEX_LIMITS.maxBytes ? undefined : parseIndex(await file.readFile());
  } catch (error) {
    // A damaged index hides a hint, not the file.
    if (error instanceof PublishingError) return undefined;
    throw error;
  } finally {
    await file?.close();
  }
}

function notFound(reply: FastifyReply, name: string): FastifyReply {
  const artifact = LATEST_SIGNATURE.exec(name)?.[1];
  const detail =
    artifact === undefined
      ? 'no such SBOM is published here'
      : 'the latest has no signature of its own, so that the two can never differ: read the latest, and the signature ' +
        'beside the version that its Content-Location and its metadata.component.version name';
  return problem(reply, 'Not Found', 'server.not_found', detail);
}

function problem(reply: FastifyReply, title: string, code: ServerErrorCode, detail: string): FastifyReply {
  const status = ServerError.statusOf(code);
  return reply
    .code(status)
    .header('content-type', 'application/problem+json')
    .header('cache-control', 'no-store')
    .send({ type: 'about:blank', title, status, code, detail });
}
