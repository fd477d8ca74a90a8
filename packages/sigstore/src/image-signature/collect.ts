import type { RejectedSignature } from '@colophon/records';
import { BUNDLE_LIMITS } from '../bundle/parse-bundle.ts';
import type { RegistryClient, ResolvedImage } from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { BUNDLE_TYPE_PREFIX, DSSE_ENVELOPE_TYPE, olderTag, referrersTag, SIMPLE_SIGNING_TYPE } from './attachment.ts';
import { ImageSignatureError } from './image-signature-error.ts';
import { type Descriptor, parseOciDocument } from './oci-manifest.ts';
import { bundleOfOlderLayer } from './older-format.ts';
import { MAX_SIMPLE_SIGNING_BYTES } from './simple-signing.ts';

/** More signatures and attestations than this on one image are not looked at, any of them. */
export const MAX_IMAGE_SIGNATURES = 1000;
/** Bytes of all attachments of one image together. */
export const MAX_ATTACHMENT_BYTES = 128 * 1024 * 1024;
/** Pages of a list of referrers: enough for many times what may be looked at. */
const MAX_REFERRER_PAGES = 20;
const PARALLEL_REQUESTS = 8;

/** A signature or attestation as it was found. Nothing in it is verified. */
export type CollectedSignature = {
  readonly format: 'bundle' | 'older-signature' | 'older-attestation';
  /** Digest of the content that holds it. */
  readonly digest: string;
  /** A bundle's JSON; for the older format, what stands there put into one. */
  readonly bundle: Uint8Array;
  /** What an older signature signs. */
  readonly payload?: Uint8Array;
};

/** Everything that is attached to an image, and what of it cannot even be read. */
export type CollectedSignatures = {
  readonly image: ResolvedImage;
  readonly found: readonly CollectedSignature[];
  readonly rejected: readonly RejectedSignature[];
};

/**
 * Collects the signatures and attestations of an image in both formats: referrers by the registry's own API and by the
 * fallback tag, and the `.sig` and `.att` tags. Attachments that are too large are not fetched.
 * @throws ImageSignatureError `image.too_many_signatures`
 * @throws RegistryError where the registry fails: what is not seen is not "no signature"
 */
export async function collectImageSignatures(
  client: RegistryClient,
  image: ResolvedImage,
): Promise<CollectedSignatures> {
  const [referrers, signatures, attestations] = await Promise.all([
    listBundles(client, image),
    listLayers(client, image, 'sig', SIMPLE_SIGNING_TYPE),
    listLayers(client, image, 'att', DSSE_ENVELOPE_TYPE),
  ]);
  assertNotTooMany(referrers.length + signatures.length + attestations.length);
  const budget = new ByteBudget(MAX_ATTACHMENT_BYTES);
  const tasks = [
    ...referrers.map((descriptor) => () => fetchBundle(client, image, descriptor, budget)),
    ...signatures.map((layer) => () => fetchOlder(client, image, layer, 'older-signature', budget)),
    ...attestations.map((layer) => () => fetchOlder(client, image, layer, 'older-attestation', budget)),
  ];
  const outcomes = await inParallel(tasks);
  return {
    image,
    found: withoutCopies(outcomes.flatMap((outcome) => ('bundle' in outcome ? [outcome] : []))),
    rejected: outcomes.flatMap((outcome) => ('code' in outcome ? [outcome] : [])),
  };
}

async function listBundles(client: RegistryClient, image: ResolvedImage): Promise<Descriptor[]> {
  const [pages, fallback] = await Promise.all([
    client.getReferrers(image, image.digest, { maxPages: MAX_REFERRER_PAGES }),
    client.getManifest(image, referrersTag(image.digest)),
  ]);
  const lists = [...(pages ?? []), ...(fallback === undefined ? [] : [fallback.bytes])];
  const byDigest = new Map<string, Descriptor>();
  for (const list of lists) {
    const document = parseOciDocument(list);
    if (document === undefined) {
      throw new RegistryError('registry.answer_invalid', 'the list of what refers to the image cannot be read');
    }
    for (const descriptor of document.manifests.filter(mayBeBundle)) byDigest.set(descriptor.digest, descriptor);
  }
  return [...byDigest.values()];
}

/** Lists written by older clients leave the type out, or give that of the empty config. */
function mayBeBundle({ artifactType }: Descriptor): boolean {
  return (
    artifactType === undefined ||
    artifactType.startsWith(BUNDLE_TYPE_PREFIX) ||
    artifactType === 'application/vnd.oci.empty.v1+json'
  );
}

async function listLayers(
  client: RegistryClient,
  image: ResolvedImage,
  kind: 'sig' | 'att',
  mediaType: string,
): Promise<Descriptor[]> {
  const manifest = await client.getManifest(image, olderTag(image.digest, kind));
  if (manifest === undefined) return [];
  const document = parseOciDocument(manifest.bytes);
  if (document === undefined) {
    throw new RegistryError('registry.answer_invalid', `the list under the tag .${kind} of the image cannot be read`);
  }
  return document.layers.filter((layer) => layer.mediaType === mediaType);
}

type Outcome = CollectedSignature | RejectedSignature | Record<never, never>;

async function fetchBundle(
  client: RegistryClient,
  image: ResolvedImage,
  descriptor: Descriptor,
  budget: ByteBudget,
): Promise<Outcome> {
  const isDeclared = descriptor.artifactType?.startsWith(BUNDLE_TYPE_PREFIX) ?? false;
  return attachmentOr(descriptor, async () => {
    const manifest = await client.getManifest(image, descriptor.digest);
    const document = manifest === undefined ? undefined : parseOciDocument(manifest.bytes);
    const [layer, ...more] = document?.layers ?? [];
    if (layer === undefined || more.length > 0 || !layer.mediaType.startsWith(BUNDLE_TYPE_PREFIX)) {
      // Of an unknown type it may well be something else, an SBOM say.
      return isDeclared ? malformed(descriptor, 'it has no single bundle') : {};
    }
    if (document?.subject?.digest !== image.digest) return malformed(descriptor, 'it refers to another image');
    if (layer.size > BUNDLE_LIMITS.maxBytes || !budget.take(layer.size)) return tooLarge(descriptor, layer);
    const bundle = await client.getBlob(image, layer.digest, layer.size);
    return { format: 'bundle', digest: layer.digest, bundle };
  });
}

async function fetchOlder(
  client: RegistryClient,
  image: ResolvedImage,
  layer: Descriptor,
  format: 'older-signature' | 'older-attestation',
  budget: ByteBudget,
): Promise<Outcome> {
  const maxBytes = format === 'older-signature' ? MAX_SIMPLE_SIGNING_BYTES : BUNDLE_LIMITS.maxBytes;
  return attachmentOr(layer, async () => {
    if (layer.size > maxBytes || !budget.take(layer.size)) return tooLarge(layer, layer);
    const content = await client.getBlob(image, layer.digest, layer.size);
    const { mediaType, annotations = {} } = layer;
    const bundle = bundleOfOlderLayer({ mediaType, content, annotations });
    if (bundle === undefined) return malformed(layer, 'its annotations hold no signature, certificate and log entry');
    return { format, digest: layer.digest, bundle, ...(format === 'older-signature' ? { payload: content } : {}) };
  });
}

/** An attachment that is gone or not what its digest says does not count; a registry that fails is a failure. */
async function attachmentOr(descriptor: Descriptor, fetch: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await fetch();
  } catch (error) {
    const isItsOwn =
      error instanceof RegistryError &&
      ['registry.not_found', 'registry.digest_mismatch', 'registry.too_large'].includes(error.code);
    if (!isItsOwn) throw error;
    return malformed(descriptor, error.message);
  }
}

function malformed({ digest }: Descriptor, reason: string): RejectedSignature {
  return { code: 'image.attachment_malformed', message: `the attachment ${digest} does not count: ${reason}` };
}

function tooLarge({ digest }: Descriptor, { size }: Descriptor): RejectedSignature {
  return { code: 'image.attachment_too_large', message: `the attachment ${digest} has ${size} bytes: not fetched` };
}

function assertNotTooMany(count: number): void {
  if (count <= MAX_IMAGE_SIGNATURES) return;
  throw new ImageSignatureError(
    'image.too_many_signatures',
    `the image has ${count} signatures and attestations; at most ${MAX_IMAGE_SIGNATURES} are looked at`,
  );
}

/** One signature in two places is one. */
function withoutCopies(found: readonly CollectedSignature[]): CollectedSignature[] {
  const seen = new Set<string>();
  return found.filter(({ bundle }) => {
    const text = Buffer.from(bundle).toString('latin1');
    return !seen.has(text) && seen.add(text);
  });
}

async function inParallel<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    while (next < tasks.length) {
      const index = next++;
      results[index] = await tasks[index]!();
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_REQUESTS }, worker));
  return results;
}

class ByteBudget {
  #left: number;
  constructor(bytes: number) {
    this.#left = bytes;
  }
  /** Whether so many bytes may still be fetched; they are counted then. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
