import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobDraft } from './blob-files.ts';
import { parseChunkRange } from './byte-range.ts';
import { DIGEST_ALGORITHMS } from './digest.ts';
import { OciError } from './oci-error.ts';
import type { RegistryIndex } from './registry-index.ts';
import { parseRegistryDigest, parseRepositoryName } from './registry-path.ts';
import { type BodyPace, bodyChunks, declaredLength, refuseDeclaredLength } from './request-body.ts';
import type { Uploads } from './uploads.ts';

type UploadEndpointOptions = { uploads: Uploads; index: RegistryIndex; maxBlobBytes: number; pace: BodyPace };

/** Blob uploads: POST, then PATCH, GET, PUT or DELETE of the location it gave (distribution spec, "Push"). */
export class UploadEndpoint {
  readonly #uploads: Uploads;
  readonly #index: RegistryIndex;
  readonly #maxBlobBytes: number;
  readonly #pace: BodyPace;

  constructor({ uploads, index, maxBlobBytes, pace }: UploadEndpointOptions) {
    this.#uploads = uploads;
    this.#index = index;
    this.#maxBlobBytes = maxBlobBytes;
    this.#pace = pace;
  }

  /** POST: a mount, the whole blob at once, or the beginning of an upload. */
  async begin(request: FastifyRequest, reply: FastifyReply, repository: string, query: URLSearchParams) {
    const mount = query.get('mount');
    if (mount !== null) {
      const digest = parseRegistryDigest(mount);
      const from = query.get('from');
      const size = from === null ? undefined : this.#index.blobSize(parseRepositoryName(from), digest);
      if (size !== undefined) {
        await this.#index.putBlob(repository, digest, size);
        return created(reply, repository, digest);
      }
      // What cannot be mounted begins as an upload, as the spec asks.
    }
    const algorithm = query.get('digest-algorithm');
    if (algorithm !== null && !DIGEST_ALGORITHMS.some((known) => known === algorithm)) {
      throw new OciError(400, 'DIGEST_INVALID', 'digests are sha256 or sha512');
    }
    const whole = mount === null ? query.get('digest') : null;
    const digest = whole === null ? undefined : parseRegistryDigest(whole);
    const draft = await this.#uploads.begin(repository, request.raw.socket);
    if (digest === undefined) return this.#accepted(reply, repository, draft);
    try {
      return await this.#uploads.use(repository, draft.id, () =>
        this.#close(request, reply, repository, digest, draft),
      );
    } finally {
      // The client was never told a location, so it cannot go on with what failed.
      await this.#uploads.end(draft);
    }
  }

  /** PATCH: the next chunk. */
  async append(request: FastifyRequest, reply: FastifyReply, repository: string, id: string) {
    return this.#uploads.use(repository, id, async (draft) => {
      await this.#receive(request, reply, repository, draft);
      return this.#accepted(reply, repository, draft);
    });
  }

  /** PUT: the last chunk, if any, and the digest of the whole. */
  async finish(request: FastifyRequest, reply: FastifyReply, repository: string, id: string, query: URLSearchParams) {
    const digest = parseRegistryDigest(query.get('digest') ?? '');
    return this.#uploads.use(repository, id, (draft) => this.#close(request, reply, repository, digest, draft));
  }

  /** GET: how much has arrived. */
  async status(reply: FastifyReply, repository: string, id: string) {
    return this.#uploads.use(repository, id, async (draft) => {
      return this.#progress(reply, repository, draft).code(204).send();
    });
  }

  /** DELETE: the client gives up. */
  async cancel(reply: FastifyReply, repository: string, id: string) {
    return this.#uploads.use(repository, id, async (draft) => {
      await this.#uploads.end(draft);
      return reply.code(204).send();
    });
  }

  async #close(
    request: FastifyRequest,
    reply: FastifyReply,
    repository: string,
    digest: string,
    draft: BlobDraft,
  ): Promise<FastifyReply> {
    await this.#receive(request, reply, repository, draft);
    try {
      await draft.finish(digest);
      await this.#index.putBlob(repository, digest, draft.size);
    } finally {
      await this.#uploads.end(draft);
    }
    return created(reply, repository, digest);
  }

  async #receive(request: FastifyRequest, reply: FastifyReply, repository: string, draft: BlobDraft): Promise<void> {
    refuseDeclaredLength(request, this.#maxBlobBytes);
    const header = request.headers['content-range'];
    if (header !== undefined) {
      const range = parseChunkRange(header);
      if (range === undefined) throw new OciError(400, 'BLOB_UPLOAD_INVALID', 'Content-Range is <start>-<end>');
      if (range.start !== draft.size) {
        this.#progress(reply, repository, draft);
        throw new OciError(416, 'BLOB_UPLOAD_INVALID', `the next chunk begins at ${draft.size}`);
      }
      const length = declaredLength(request);
      if (length !== undefined && length !== range.end - range.start + 1) {
        throw new OciError(400, 'SIZE_INVALID', 'Content-Range and Content-Length disagree');
      }
    }
    const stop = () =>
      request.raw.destroy(new OciError(429, 'TOOMANYREQUESTS', 'the upload was dropped for a newer one'));
    await this.#uploads.whileArriving(draft, stop, () => draft.append(bodyChunks(request, this.#pace)));
  }

  #accepted(reply: FastifyReply, repository: string, draft: BlobDraft): FastifyReply {
    return this.#progress(reply, repository, draft).code(202).send();
  }

  #progress(reply: FastifyReply, repository: string, draft: BlobDraft): FastifyReply {
    return reply
      .header('location', `/v2/${repository}/blobs/uploads/${draft.id}`)
      .header('docker-upload-uuid', draft.id)
      .header('range', `0-${Math.max(0, draft.size - 1)}`);
  }
}

function created(reply: FastifyReply, repository: string, digest: string): FastifyReply {
  return reply
    .code(201)
    .header('location', `/v2/${repository}/blobs/${digest}`)
    .header('docker-content-digest', digest)
    .send();
}
