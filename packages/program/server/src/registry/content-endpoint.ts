import { isImageTag } from '@colophon/notation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Aside } from '../aside/aside.ts';
import { BUSY_RETRY_SECONDS, SMALL_BODY_BYTES } from '../body-budget/body-budget.ts';
import type { ByteBudget } from '../body-budget/byte-budget.ts';
import type { BlobFiles } from './blob-files.ts';
import { parseRange } from './byte-range.ts';
import { algorithmOf, digestOf } from './digest.ts';
import { MAX_MANIFEST_BYTES } from './manifest.ts';
import { OciError } from './oci-error.ts';
import type { RegistryIndex } from './registry-index.ts';
import type { ManifestReference } from './registry-path.ts';
import { type BodyPace, declaredLength, refuseDeclaredLength, wholeBody } from './request-body.ts';

const MAX_TAGS_PER_PUT = 64;

type ContentEndpointOptions = {
  files: BlobFiles;
  index: RegistryIndex;
  pace: BodyPace;
  bodies: ByteBudget;
  aside: Aside;
};

/** Blobs and manifests: GET and HEAD of both, PUT of a manifest (distribution spec, "Pull" and "Pushing Manifests"). */
export class ContentEndpoint {
  readonly #files: BlobFiles;
  readonly #index: RegistryIndex;
  readonly #pace: BodyPace;
  readonly #bodies: ByteBudget;
  readonly #aside: Aside;

  constructor({ files, index, pace, bodies, aside }: ContentEndpointOptions) {
    this.#files = files;
    this.#index = index;
    this.#pace = pace;
    this.#bodies = bodies;
    this.#aside = aside;
  }

  /** GET or HEAD of a blob, whole or by range. */
  async getBlob(request: FastifyRequest, reply: FastifyReply, repository: string, digest: string) {
    const size = this.#index.blobSize(repository, digest);
    if (size === undefined) throw new OciError(404, 'BLOB_UNKNOWN', 'the repository has no such blob');
    reply
      .type('application/octet-stream')
      .header('docker-content-digest', digest)
      .header('etag', `"${digest}"`)
      .header('accept-ranges', 'bytes');
    const range = parseRange(request.method === 'GET' ? request.headers.range : undefined, size);
    if (range === 'unsatisfiable') {
      throw new OciError(416, 'SIZE_INVALID', 'the blob ends before this range', {
        headers: { 'content-range': `bytes */${size}` },
      });
    }
    if (range !== 'whole') {
      reply
        .code(206)
        .header('content-range', `bytes ${range.start}-${range.end}/${size}`)
        .header('content-length', range.end - range.start + 1);
      return reply.send(this.#files.read(digest, range));
    }
    reply.header('content-length', size);
    return request.method === 'HEAD' ? reply.send() : reply.send(this.#files.read(digest));
  }

  /** GET or HEAD of a manifest. */
  async getManifest(
    request: FastifyRequest,
    reply: FastifyReply,
    repository: string,
    reference: ManifestReference,
  ): Promise<FastifyReply> {
    const row = this.#index.manifest(repository, reference);
    if (row === undefined) throw new OciError(404, 'MANIFEST_UNKNOWN', 'the repository has no such manifest');
    reply
      .header('content-type', row.mediaType)
      .header('content-length', row.size)
      .header('docker-content-digest', row.digest)
      .header('etag', `"${row.digest}"`);
    return request.method === 'HEAD' ? reply.send() : reply.send(await this.#files.readAll(row.digest));
  }

  /**
   * PUT of a manifest by tag or digest. `If-Match` and `If-None-Match: *` compare with what the tag points to (RFC 9110
   * §13.1): two writers of one tag cannot overwrite each other unseen.
   */
  async putManifest(
    request: FastifyRequest,
    reply: FastifyReply,
    repository: string,
    reference: ManifestReference,
    query: URLSearchParams,
  ): Promise<FastifyReply> {
    refuseDeclaredLength(request, MAX_MANIFEST_BYTES);
    const length = declaredLength(request) ?? MAX_MANIFEST_BYTES;
    const giveBack = this.#bodies.take(length <= SMALL_BODY_BYTES ? 0 : length);
    if (giveBack === undefined) {
      throw new OciError(503, 'UNAVAILABLE', 'too many large requests at once', {
        headers: { 'retry-after': String(BUSY_RETRY_SECONDS) },
      });
    }
    try {
      return await this.#putManifest(request, reply, repository, reference, query);
    } finally {
      giveBack();
    }
  }

  async #putManifest(
    request: FastifyRequest,
    reply: FastifyReply,
    repository: string,
    reference: ManifestReference,
    query: URLSearchParams,
  ): Promise<FastifyReply> {
    const bytes = await wholeBody(request, { maxBytes: MAX_MANIFEST_BYTES, pace: this.#pace });
    const digest = digestOf(bytes, 'digest' in reference ? algorithmOf(reference.digest) : 'sha256');
    if ('digest' in reference && reference.digest !== digest) {
      throw new OciError(400, 'DIGEST_INVALID', 'the manifest has another digest');
    }
    const manifest = await this.#aside.read('manifest', bytes, request.headers['content-type']);
    const tags = tagsOf(reference, query);
    this.#requireBlobs(repository, manifest.blobs);

    const draft = await this.#files.createDraft(MAX_MANIFEST_BYTES);
    try {
      await draft.append(once(bytes));
      await draft.finish(digest);
    } finally {
      await draft.discard();
    }
    await this.#index.putManifest(repository, { ...manifest, digest, size: bytes.length, tags }, () =>
      this.#requireCondition(request, repository, reference),
    );
    reply
      .code(201)
      .header('location', `/v2/${repository}/manifests/${digest}`)
      .header('docker-content-digest', digest)
      .header('etag', `"${digest}"`);
    if (manifest.subject !== undefined) reply.header('oci-subject', manifest.subject);
    if ('digest' in reference && tags.length > 0) reply.header('oci-tag', tags.join(', '));
    return reply.send();
  }

  #requireBlobs(repository: string, digests: readonly string[]): void {
    const missing = digests.find((blob) => this.#index.blobSize(repository, blob) === undefined);
    if (missing !== undefined) {
      throw new OciError(400, 'MANIFEST_BLOB_UNKNOWN', `the repository has no blob ${missing}`);
    }
  }

  #requireCondition(request: FastifyRequest, repository: string, reference: ManifestReference): void {
    const ifMatch = request.headers['if-match'];
    const ifNoneMatch = request.headers['if-none-match'];
    if (ifMatch === undefined && ifNoneMatch === undefined) return;
    const current = this.#index.manifest(repository, reference);
    const names = (header: string) => header.split(',').map((tag) => tag.trim());
    const isNamed = (header: string) =>
      current !== undefined && (header.trim() === '*' || names(header).includes(`"${current.digest}"`));
    if ((ifMatch !== undefined && !isNamed(ifMatch)) || (ifNoneMatch !== undefined && isNamed(ifNoneMatch))) {
      throw new OciError(412, 'DENIED', 'the tag points to another manifest by now');
    }
  }
}

function tagsOf(reference: ManifestReference, query: URLSearchParams): string[] {
  if ('tag' in reference) return [reference.tag];
  const tags = query.getAll('tag');
  if (tags.length > MAX_TAGS_PER_PUT || !tags.every(isImageTag)) {
    throw new OciError(400, 'MANIFEST_INVALID', `at most ${MAX_TAGS_PER_PUT} tags, each in the grammar of tags`);
  }
  return tags;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
