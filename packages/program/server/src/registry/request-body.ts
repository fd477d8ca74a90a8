import type { FastifyRequest } from 'fastify';
import { suspendRequestTime } from '../start/request-deadline.ts';
import { tooLarge } from './blob-files.ts';
import { OciError } from './oci-error.ts';

/** How slowly a body may come. */
export type BodyPace = {
  /** Longest pause between two pieces. */
  readonly idleMs: number;
  /** Time for the whole body, beside what `bytesPerSecond` gives for each piece that has arrived. */
  readonly graceMs: number;
  /** Slowest rate beyond the grace; without it the grace is all the time there is. */
  readonly bytesPerSecond?: number;
};

/**
 * The body as it arrives; one that stands still, or comes more slowly than its pace, ends in an error.
 * Leaving early does not close the connection, so that a refusal can still be answered; what is left has the time of any
 * other request.
 */
export async function* bodyChunks(
  request: FastifyRequest,
  { idleMs, graceMs, bytesPerSecond = Number.POSITIVE_INFINITY }: BodyPace,
): AsyncGenerator<Uint8Array> {
  const body = request.raw;
  const cutOff = (message: string) => body.destroy(new OciError(408, 'BLOB_UPLOAD_INVALID', message));
  const watchdog = setTimeout(() => cutOff('no data arrived within the timeout'), idleMs);
  const begunAt = performance.now();
  let received = 0;
  const checkPace = () => {
    const leftMs = graceMs + (received / bytesPerSecond) * 1000 - (performance.now() - begunAt);
    if (leftMs <= 0) cutOff('the body came too slowly');
    else pace = setTimeout(checkPace, leftMs);
  };
  let pace = setTimeout(checkPace, graceMs);
  const resumeRequestTime = suspendRequestTime(body);
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      watchdog.refresh();
      received += chunk.length;
      yield chunk;
    }
  } finally {
    clearTimeout(watchdog);
    clearTimeout(pace);
    resumeRequestTime();
  }
}

/** The whole body, at most `maxBytes`. @throws OciError SIZE_INVALID (413) */
export async function wholeBody(
  request: FastifyRequest,
  { maxBytes, pace }: { readonly maxBytes: number; readonly pace: BodyPace },
): Promise<Buffer> {
  refuseDeclaredLength(request, maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(request, pace)) {
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
