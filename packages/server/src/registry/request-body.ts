import type { FastifyRequest } from 'fastify';
import { tooLarge } from './blob-files.ts';
import { OciError } from './oci-error.ts';

/**
 * The body as it arrives; a body that stands still for `idleMs` ends in an error.
 * Leaving early does not close the connection, so that a refusal can still be answered.
 */
export async function* bodyChunks(request: FastifyRequest, idleMs: number): AsyncGenerator<Uint8Array> {
  const body = request.raw;
  const watchdog = setTimeout(
    () => body.destroy(new OciError(408, 'BLOB_UPLOAD_INVALID', 'the body stood still')),
    idleMs,
  );
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      watchdog.refresh();
      yield chunk;
    }
  } finally {
    clearTimeout(watchdog);
  }
}

/** The whole body, at most `maxBytes`. @throws OciError SIZE_INVALID (413) */
export async function wholeBody(
  request: FastifyRequest,
  { idleMs, maxBytes }: { idleMs: number; maxBytes: number },
): Promise<Buffer> {
  refuseDeclaredLength(request, maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(request, idleMs)) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Content-Length of the request, undefined where it is sent in chunks. */
export function declaredLength(request: FastifyRequest): number | undefined {
  const header = request.headers['content-length'];
  return header === undefined ? undefined : Number(header);
}

/** Refuses by the header what would be refused by the body. @throws OciError SIZE_INVALID (413) */
export function refuseDeclaredLength(request: FastifyRequest, maxBytes: number): void {
  if ((declaredLength(request) ?? 0) > maxBytes) throw tooLarge(maxBytes);
}
