import { type JsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { isRegistryDigest } from './digest.ts';
import { OciError } from './oci-error.ts';

/** The distribution spec asks for room for 4 MB; more is never needed for a list of descriptors. */
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

const IMAGE_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** What the registry needs to know of a manifest that it stores byte for byte. */
export type ParsedManifest = {
  readonly mediaType: string;
  /** Digests of config and layers that must be in the repository. */
  readonly blobs: readonly string[];
  readonly subject?: string;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

/**
 * Reads an image manifest or index of OCI or Docker.
 * @throws OciError MANIFEST_INVALID
 */
export function parseManifest(bytes: Uint8Array, contentType: string | undefined): ParsedManifest {
  const parsed = parseStrictJson(bytes, { maxBytes: MAX_MANIFEST_BYTES, maxDepth: 32 });
  if (!parsed.ok) throw invalid('the manifest is not strict JSON');
  const manifest = asObject(parsed.value, 'the manifest');
  if (manifest['schemaVersion'] !== 2) throw invalid('schemaVersion must be 2');

  const declared = contentType?.split(';')[0]?.trim().toLowerCase();
  const mediaType = manifest['mediaType'] ?? declared;
  if (typeof mediaType !== 'string') throw invalid('the media type is missing');
  if (declared !== undefined && declared !== mediaType) {
    throw invalid('mediaType and Content-Type name different types');
  }
  const isImage = IMAGE_TYPES.includes(mediaType);
  if (!isImage && !INDEX_TYPES.includes(mediaType)) {
    throw invalid('only image manifests and indexes of OCI and Docker are kept');
  }
  const config = isImage ? asObject(manifest['config'], 'config') : undefined;
  const parts = [...(config === undefined ? [] : [config]), ...descriptors(manifest, isImage ? 'layers' : 'manifests')];
  const digests = parts.map((part) => descriptorDigest(part));
  const subject = manifest['subject'];
  const annotations = parseAnnotations(manifest['annotations']);
  // An image without an artifactType is known by the type of its config; an index then has none.
  const artifactType = optionalText(manifest, 'artifactType') ?? (config && optionalText(config, 'mediaType'));
  return {
    mediaType,
    // Layers that are fetched from elsewhere need not be here. The children of an index may come later.
    blobs: isImage ? digests.filter((_, i) => parts[i]?.['urls'] === undefined) : [],
    ...(subject === undefined ? {} : { subject: descriptorDigest(asObject(subject, 'subject')) }),
    ...(artifactType === undefined ? {} : { artifactType }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function descriptors(manifest: JsonObject, field: string): JsonObject[] {
  const list = manifest[field];
  if (!Array.isArray(list)) throw invalid(`${field} must be an array`);
  return list.map((item) => asObject(item, `${field}[]`));
}

function descriptorDigest(descriptor: JsonObject): string {
  const digest = descriptor['digest'];
  if (typeof digest !== 'string' || !isRegistryDigest(digest)) {
    throw invalid('a descriptor has a sha256 or sha512 digest');
  }
  const size = descriptor['size'];
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw invalid('a descriptor has a size in bytes');
  }
  return digest;
}

function parseAnnotations(value: JsonValue | undefined): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  const entries = Object.entries(asObject(value, 'annotations'));
  if (entries.some(([, text]) => typeof text !== 'string')) throw invalid('annotations are strings');
  return Object.fromEntries(entries) as Record<string, string>;
}

function optionalText(value: JsonObject, field: string): string | undefined {
  const text = value[field];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function asObject(value: JsonValue | undefined, what: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${what} must be an object`);
  return value as JsonObject;
}

function invalid(message: string): OciError {
  return new OciError(400, 'MANIFEST_INVALID', message);
}
