import { isJsonObject, type JsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { parseDigest } from '@colophon/notation';
import { MAX_MANIFEST_BYTES } from '../registry/registry-client.ts';

export const OCI_MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
export const OCI_INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';

/** OCI content descriptor, as far as attachments need it. */
export type Descriptor = {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** What an attachment's manifest, or a list of referrers, is made of; undefined where it cannot be read. */
export type OciDocument = {
  readonly layers: readonly Descriptor[];
  readonly manifests: readonly Descriptor[];
  /** What the manifests run on, each in its place: `<os>/<architecture>[/<variant>]`, or `unknown/unknown`. */
  readonly platforms: readonly string[];
  readonly subject?: Descriptor;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** Values of any document of 4 MiB that registries serve, the names of members among them. */
const MAX_MANIFEST_VALUES = 400_000;

/**
 * Reads an image manifest or an index, whichever it is. Where one of the two is asked for by its `list`, a document without
 * that list is none: a message of a proxy is no empty list.
 */
export function parseOciDocument(
  bytes: Uint8Array,
  list?: 'layers' | 'manifests',
  maxValues: number = MAX_MANIFEST_VALUES,
): OciDocument | undefined {
  const parsed = parseStrictJson(bytes, { maxBytes: MAX_MANIFEST_BYTES, maxDepth: 32, maxValues });
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  if (list !== undefined && parsed.value[list] === undefined) return undefined;
  const layers = descriptorList(parsed.value['layers']);
  const manifests = descriptorList(parsed.value['manifests']);
  const subject = parsed.value['subject'] === undefined ? undefined : parseDescriptor(parsed.value['subject']);
  const annotations = parseAnnotations(parsed.value['annotations']);
  if (layers === undefined || manifests === undefined || annotations === undefined) return undefined;
  if (parsed.value['subject'] !== undefined && subject === undefined) return undefined;
  const platforms = manifests.length === 0 ? [] : (parsed.value['manifests'] as JsonValue[]).map(platformOf);
  return { layers, manifests, platforms, annotations, ...(subject === undefined ? {} : { subject }) };
}

/** Whether content of this digest can be fetched and checked: the image specification registers sha512 too. */
export function isSha256(digest: string): boolean {
  return digest.startsWith('sha256:');
}

/** JSON of a manifest or index, with the member order of the image spec. */
export function encodeOciDocument(document: JsonObject): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(document));
}

function descriptorList(value: JsonValue | undefined): Descriptor[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const descriptors = value.map((item: JsonValue) => parseDescriptor(item));
  return descriptors.every((descriptor) => descriptor !== undefined) ? descriptors : undefined;
}

function parseDescriptor(value: JsonValue | undefined): Descriptor | undefined {
  if (!isJsonObject(value)) return undefined;
  const { mediaType, digest, size, artifactType } = value;
  const annotations = parseAnnotations(value['annotations']);
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || annotations === undefined) return undefined;
  const algorithm = parseDigest(digest)?.algorithm;
  if (algorithm !== 'sha256' && algorithm !== 'sha512') return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
  return {
    mediaType,
    digest,
    size,
    ...(typeof artifactType === 'string' ? { artifactType } : {}),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** What an index says that a manifest runs on. Anybody can write anything there: what is no word is not shown. */
function platformOf(descriptor: JsonValue): string {
  const platform = isJsonObject(descriptor) ? descriptor['platform'] : undefined;
  if (!isJsonObject(platform)) return UNKNOWN_PLATFORM;
  const { os, architecture, variant } = platform;
  const words = [os, architecture, ...(variant === undefined ? [] : [variant])];
  return words.every((word) => typeof word === 'string' && PLATFORM_WORD.test(word))
    ? words.join('/')
    : UNKNOWN_PLATFORM;
}

/** As buildx writes it for attestations. */
const UNKNOWN_PLATFORM = 'unknown/unknown';
const PLATFORM_WORD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function parseAnnotations(value: JsonValue | undefined): Record<string, string> | undefined {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  return entries.every(([, text]) => typeof text === 'string')
    ? (Object.fromEntries(entries) as Record<string, string>)
    : undefined;
}
