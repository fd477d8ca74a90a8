import { isJsonObject, parseStrictJson } from '@colophon/records';
import { formatRepository } from '../image-reference/image-reference.ts';
import type { ResolvedImage } from '../registry/registry-client.ts';

/** Annotations that a caller signed along may be long; more than this is no signature's payload. */
export const MAX_SIMPLE_SIGNING_BYTES = 1024 * 1024;

const TYPE = 'cosign container image signature';

/** The bytes that the older format signs: the image's digest, and where it lay at the time. */
export function createSimpleSigning(image: ResolvedImage): Uint8Array {
  const payload = {
    critical: {
      identity: { 'docker-reference': formatRepository(image) },
      image: { 'docker-manifest-digest': image.digest },
      type: TYPE,
    },
    optional: null,
  };
  return new TextEncoder().encode(JSON.stringify(payload));
}

/**
 * The digest of the image that a payload signs; undefined where it is not such a payload. The repository in it is not
 * read: an image may be copied with its signatures.
 */
export function parseSimpleSigning(bytes: Uint8Array): string | undefined {
  const parsed = parseStrictJson(bytes, { maxBytes: MAX_SIMPLE_SIGNING_BYTES, maxDepth: 32 });
  const critical = parsed.ok && isJsonObject(parsed.value) ? parsed.value['critical'] : undefined;
  if (!isJsonObject(critical) || critical['type'] !== TYPE) return undefined;
  const image = critical['image'];
  const digest = isJsonObject(image) ? image['docker-manifest-digest'] : undefined;
  return typeof digest === 'string' ? digest : undefined;
}
