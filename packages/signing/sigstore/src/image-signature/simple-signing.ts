import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { isSha256 } from '@colophon/notation';
import { BUNDLE_LIMITS, parseBundleJson } from '../bundle/bundle-json.ts';
import { formatRepository } from '../image-reference/image-reference.ts';
import type { ResolvedImage } from '../registry/registry-client.ts';
import { MAX_SIGNED_TEXT_BYTES } from '../signed-text/signed-text.ts';

const LIMITS = { ...BUNDLE_LIMITS, maxBytes: MAX_SIGNED_TEXT_BYTES, maxDepth: 32 };
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
 * The digest of the image that a payload signs; undefined where it is not exactly such a payload, since other JSON is
 * signed for other reasons. The repository in it is not compared: an image may be copied with its signatures.
 * @throws VerificationError `bundle.too_large`
 * @see https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md; podman and skopeo write the same type
 */
export function parseSimpleSigning(bytes: Uint8Array): string | undefined {
  const parsed = parseBundleJson(bytes, LIMITS);
  const payload = parsed.ok ? exactly(parsed.value, ['critical', 'optional']) : undefined;
  if (payload === undefined || !(payload['optional'] === null || isJsonObject(payload['optional']))) return undefined;
  const critical = exactly(payload['critical'], ['identity', 'image', 'type']);
  if (critical?.['type'] !== TYPE) return undefined;
  const identity = exactly(critical['identity'], ['docker-reference']);
  const image = exactly(critical['image'], ['docker-manifest-digest']);
  const digest = image?.['docker-manifest-digest'];
  if (typeof identity?.['docker-reference'] !== 'string' || typeof digest !== 'string') return undefined;
  return isSha256(digest) ? digest : undefined;
}

/** The object where it has these members, each of them and no other. */
function exactly(value: JsonValue | undefined, names: readonly string[]): JsonObject | undefined {
  if (!isJsonObject(value) || Object.keys(value).length !== names.length) return undefined;
  return names.every((name) => Object.hasOwn(value, name)) ? value : undefined;
}
