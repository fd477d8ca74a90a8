import { setTimeout as sleep } from 'node:timers/promises';
import { BUNDLE_V03_MEDIA_TYPE } from '../bundle/parse-bundle.ts';
import {
  digestOf,
  type FetchedManifest,
  type PutCondition,
  type RegistryClient,
  type ResolvedImage,
} from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { OLDER_ANNOTATIONS, olderTag, referrersTag } from './attachment.ts';
import {
  type Descriptor,
  encodeOciDocument,
  OCI_INDEX_TYPE,
  OCI_MANIFEST_TYPE,
  parseOciDocument,
} from './oci-manifest.ts';
import type { OlderLayer } from './older-format.ts';

/** Others may be writing to the same tag; each time somebody was faster, we merge with what they wrote. */
export const MAX_TAG_ATTEMPTS = 10;

/** On a registry without conditions: how long somebody who read the tag before us may need to overwrite it. */
const SETTLE_MS = 100;

const EMPTY_CONFIG = new TextEncoder().encode('{}');

/** Pages of referrers in which one is looked for that was just written. */
const MOST_PAGES_READ_BACK = 20;

/** How often a tag that stays what it is refuses to be moved before it counts as immutable. */
const REFUSALS_OF_IMMUTABLE = 3;

/**
 * Attaches a bundle as a referrer of the image, with the annotations that say what is in it. Where the registry does
 * not list it as one, whatever it answered, the index under the fallback tag is extended.
 * @returns the digest of the referrer's manifest
 * @throws RegistryError
 */
export async function attachBundle(
  client: RegistryClient,
  image: ResolvedImage,
  { bundle, predicateType, now }: { bundle: Uint8Array; predicateType: string; now: Date },
): Promise<string> {
  const config = await client.putBlob(image, EMPTY_CONFIG);
  const layer = await client.putBlob(image, bundle);
  const annotations = {
    'dev.sigstore.bundle.content': 'dsse-envelope',
    'dev.sigstore.bundle.predicateType': predicateType,
    'org.opencontainers.image.created': now.toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const bytes = encodeOciDocument({
    schemaVersion: 2,
    mediaType: OCI_MANIFEST_TYPE,
    config: {
      mediaType: 'application/vnd.oci.empty.v1+json',
      size: EMPTY_CONFIG.length,
      digest: config,
      artifactType: BUNDLE_V03_MEDIA_TYPE,
    },
    layers: [{ mediaType: BUNDLE_V03_MEDIA_TYPE, size: bundle.length, digest: layer }],
    annotations,
    subject: { mediaType: image.mediaType, size: image.size, digest: image.digest },
    artifactType: BUNDLE_V03_MEDIA_TYPE,
  });
  const digest = digestOf(bytes);
  const { subject } = await client.putManifest(image, digest, { bytes, mediaType: OCI_MANIFEST_TYPE });
  if (await isListed(client, image, digest, subject === image.digest)) return digest;
  const descriptor = {
    mediaType: OCI_MANIFEST_TYPE,
    size: bytes.length,
    digest,
    artifactType: BUNDLE_V03_MEDIA_TYPE,
    annotations,
  };
  await extendTag(client, image, referrersTag(image.digest), {
    list: 'manifests',
    holds: ({ manifests }) => manifests.some((known) => known.digest === digest),
    async extended({ manifests }) {
      const index = { schemaVersion: 2, mediaType: OCI_INDEX_TYPE, manifests: [...manifests, descriptor] };
      return { bytes: encodeOciDocument(index), mediaType: OCI_INDEX_TYPE };
    },
  });
  return digest;
}

/**
 * Whether the registry's own list has a referrer that was just written. A header that says so does not prove that there
 * is such a list; a list that comes later is asked once more.
 */
async function isListed(
  client: RegistryClient,
  image: ResolvedImage,
  digest: string,
  isPromised: boolean,
): Promise<boolean> {
  for (let attempt = 0; attempt < (isPromised ? 2 : 1); attempt++) {
    if (attempt > 0) await sleep(SETTLE_MS);
    const listed = await client.getReferrers(image, image.digest, { maxPages: MOST_PAGES_READ_BACK });
    if (listed === undefined) return false;
    const has = (page: Uint8Array) =>
      parseOciDocument(page, 'manifests')?.manifests.some((known) => known.digest === digest) === true;
    if (listed.pages.some(has)) return true;
    // Of a list longer than is read nobody knows.
    if (!listed.isComplete) return isPromised;
  }
  return false;
}

/** Adds a layer to the image's signatures or attestations in the older format. @throws RegistryError */
export async function attachOlderLayer(
  client: RegistryClient,
  image: ResolvedImage,
  kind: 'sig' | 'att',
  { mediaType, content, annotations }: OlderLayer,
): Promise<void> {
  const digest = await client.putBlob(image, content);
  const layer: Descriptor = { mediaType, size: content.length, digest, annotations };
  const isSame = (known: Descriptor) =>
    known.digest === digest &&
    known.annotations?.[OLDER_ANNOTATIONS.rekorBundle] === annotations[OLDER_ANNOTATIONS.rekorBundle];
  await extendTag(client, image, olderTag(image.digest, kind), {
    list: 'layers',
    holds: ({ layers }) => layers.some(isSame),
    async extended(known) {
      const layers = [...known.layers, layer];
      const config = configOf(layers);
      return {
        bytes: encodeOciDocument({
          schemaVersion: 2,
          mediaType: OCI_MANIFEST_TYPE,
          config: {
            mediaType: 'application/vnd.oci.image.config.v1+json',
            size: config.length,
            digest: await client.putBlob(image, config),
          },
          layers,
          ...(Object.keys(known.annotations).length === 0 ? {} : { annotations: known.annotations }),
        }),
        mediaType: OCI_MANIFEST_TYPE,
      };
    },
  });
}

type Known = {
  readonly layers: readonly Descriptor[];
  readonly manifests: readonly Descriptor[];
  readonly annotations: Readonly<Record<string, string>>;
};
type Extension = {
  readonly list: 'layers' | 'manifests';
  holds(known: Known): boolean;
  extended(known: Known): Promise<{ bytes: Uint8Array; mediaType: string }>;
};

/**
 * Extends what a tag points to until it holds what was added. Registries that know If-Match refuse a write that would
 * undo somebody else's. With the others what was written is read back, at once and a moment later, and merged again
 * where it is gone: that finds nearly every lost write, but no client can find all of them.
 */
async function extendTag(
  client: RegistryClient,
  image: ResolvedImage,
  tag: string,
  { list, holds, extended }: Extension,
): Promise<void> {
  let isWritten = false;
  const refused = { digest: '', times: 0 };
  for (let attempt = 0; attempt <= MAX_TAG_ATTEMPTS; attempt++) {
    const current = await client.getManifest(image, tag);
    const known = readKnown(current, list);
    if (holds(known)) {
      if (!isWritten || current?.etag !== undefined) return;
      await sleep(SETTLE_MS);
      if (holds(readKnown(await client.getManifest(image, tag), list))) return;
      continue;
    }
    if (attempt === MAX_TAG_ATTEMPTS) break;
    if (attempt > 0) await sleep(20 * attempt * (0.5 + Math.random()));
    try {
      await client.putManifest(image, tag, await extended(known), conditionOf(current));
      isWritten = true;
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      const isConflict = error.code === 'registry.conflict';
      if (current !== undefined) {
        refused.times = refused.digest === current.digest ? refused.times + 1 : 1;
        refused.digest = current.digest;
        const isRefusal = error.code === 'registry.refused' || (isConflict && refused.times >= REFUSALS_OF_IMMUTABLE);
        if (isRefusal) throw immutableTag(tag, error);
      }
      if (!isConflict) throw error;
    }
  }
  throw new RegistryError('registry.conflict', `others keep changing the tag ${tag}: try again`);
}

/** Harbor answers 412, ECR 400, others 409 where a rule forbids a tag to be moved. */
function immutableTag(tag: string, cause: RegistryError): RegistryError {
  const message = `the registry does not let the tag ${tag} be moved (immutable tags): nothing can be listed under it`;
  const { url, status } = cause;
  return new RegistryError('registry.tag_immutable', message, { ...(url === undefined ? {} : { url }), status, cause });
}

function conditionOf(current: FetchedManifest | undefined): PutCondition | undefined {
  if (current === undefined) return { ifAbsent: true };
  return current.etag === undefined ? undefined : { ifMatch: current.etag };
}

function readKnown(manifest: FetchedManifest | undefined, list: Extension['list']): Known {
  if (manifest === undefined) return { layers: [], manifests: [], annotations: {} };
  const document = parseOciDocument(manifest.bytes, list);
  if (document === undefined) {
    throw new RegistryError('registry.answer_invalid', 'what the tag of the attachments points to cannot be extended');
  }
  return { ...document, annotations: document.annotations ?? {} };
}

/** The config that goes with the layers: they are not compressed, so each is its own diff. */
function configOf(layers: readonly Descriptor[]): Uint8Array {
  const created = '0001-01-01T00:00:00Z';
  const config = {
    architecture: '',
    created,
    history: layers.map(() => ({ created })),
    os: '',
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    config: {},
  };
  return new TextEncoder().encode(JSON.stringify(config));
}
