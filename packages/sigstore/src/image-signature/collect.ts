import { eachAtOnce } from '@colophon/peer';
import type { AttachmentFormat, RejectedSignature } from '@colophon/records';
import { BUNDLE_LIMITS } from '../bundle/parse-bundle.ts';
import { digestOf, type RegistryClient, type ResolvedImage } from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { MAX_SIGNED_TEXT_BYTES } from '../signed-text/signed-text.ts';
import { BUNDLE_TYPE_PREFIX, DSSE_ENVELOPE_TYPE, SIMPLE_SIGNING_TYPE } from './attachment.ts';
import { ImageSignatureError } from './image-signature-error.ts';
import { isDeclaredSignature, listAttachments } from './listing.ts';
import { type Descriptor, isSha256, parseOciDocument } from './oci-manifest.ts';
import { bundleOfOlderLayer, type OlderLayer, type OlderReader } from './older-format.ts';

/** More signatures and attestations than this on one image are not looked at, any of them. */
export const MAX_IMAGE_SIGNATURES = 1000;
/** Bytes of all attachments of one image together. */
export const MAX_ATTACHMENT_BYTES = 128 * 1024 * 1024;
/** Pages of a list of referrers: enough for many times what may be looked at. */
const MAX_REFERRER_PAGES = 20;
/** Layers of one referrer: it is written with one, and every one is a request. */
const MOST_LAYERS = 8;

/** A signature or attestation as it was found. Nothing in it is verified. */
export type CollectedSignature = {
  readonly format: AttachmentFormat;
  /** Digest of the content that holds it. */
  readonly digest: string;
  /** A bundle's JSON; for the older format, what stands there put into one. */
  readonly bundle: Uint8Array;
  /** What an older signature signs. */
  readonly payload?: Uint8Array;
  /** In the older format: the layer as it was found. */
  readonly layer?: OlderLayer;
};

/** Everything that is attached to an image. */
export type CollectedSignatures = {
  readonly image: ResolvedImage;
  readonly found: readonly CollectedSignature[];
  /** What was read whole and is no signature, whatever it is called. */
  readonly rejected: readonly RejectedSignature[];
  /** What may be a signature, by its media type or for want of one, and was not read: larger than is read, or not served. */
  readonly incomplete: readonly RejectedSignature[];
};

/**
 * Collects the signatures and attestations of an image in both formats. Attachments that are too large are not fetched.
 * @param reader who reads them.
 * @throws ImageSignatureError `image.too_many_signatures`
 * @throws RegistryError where the registry fails: what is not seen is not "no signature"
 */
export async function collectImageSignatures(
  client: RegistryClient,
  image: ResolvedImage,
  reader: OlderReader = {},
): Promise<CollectedSignatures> {
  const { referrers, sig, att, isComplete } = await listAttachments(client, image, { maxPages: MAX_REFERRER_PAGES });
  assertNotTooMany(referrers.length + sig.length + att.length);
  const source = { client, image, reader, budget: new ByteBudget(MAX_ATTACHMENT_BYTES) };
  const tasks = [
    ...referrers.map((descriptor) => () => fetchReferrer(source, descriptor)),
    ...sig.map((layer) => () => fetchOlder(source, layer, 'older-signature')),
    ...att.map((layer) => () => fetchOlder(source, layer, 'older-attestation')),
  ];
  const outcomes = (await eachAtOnce(tasks, (task) => task())).flat();
  // A referrer is one in the list, and may hold several.
  assertNotTooMany(outcomes.length);
  const unlisted = { code: 'image.referrers_incomplete', message: 'the registry lists more than could be asked for' };
  return {
    image,
    found: withoutCopies(outcomes.flatMap((outcome) => ('found' in outcome ? [outcome.found] : []))),
    rejected: outcomes.flatMap((outcome) => ('rejected' in outcome ? [outcome.rejected] : [])),
    incomplete: [
      ...outcomes.flatMap((outcome) => ('incomplete' in outcome ? [outcome.incomplete] : [])),
      ...(isComplete ? [] : [unlisted]),
    ],
  };
}

type Outcome =
  | { readonly found: CollectedSignature }
  | { readonly rejected: RejectedSignature }
  | { readonly incomplete: RejectedSignature };

type Source = {
  readonly client: RegistryClient;
  readonly image: ResolvedImage;
  readonly reader: OlderReader;
  readonly budget: ByteBudget;
};

/** Every signature in a referrer: one, as it is written, or a few. */
async function fetchReferrer(source: Source, descriptor: Descriptor): Promise<Outcome[]> {
  const { client, image } = source;
  return servedOr(descriptor, async () => {
    if (!isSha256(descriptor.digest)) return [notServed(descriptor, 'its digest is none that is checked')];
    const manifest = await client.getManifest(image, descriptor.digest);
    if (manifest === undefined) return [notServed(descriptor, 'the registry lists it and has no such content')];
    const document = parseOciDocument(manifest.bytes);
    if (document === undefined) return [notServed(descriptor, 'its manifest cannot be read')];
    const layers = document.layers.filter(({ mediaType }) => formatOf(mediaType) !== undefined);
    if (layers.length === 0) {
      // Of an unknown type it may well be something else, an SBOM say.
      return isDeclaredSignature(descriptor.artifactType)
        ? [notServed(descriptor, 'no layer of it is a signature')]
        : [];
    }
    if (layers.length > MOST_LAYERS) return [notServed(descriptor, `it has more than ${MOST_LAYERS} layers`)];
    if (document.subject?.digest !== image.digest) return [malformed(descriptor, 'it refers to another image')];
    const outcomes: Outcome[] = [];
    for (const layer of layers) outcomes.push(...(await fetchLayer(source, layer)));
    return outcomes;
  });
}

/** How a layer is read, by its media type; undefined for what is no signature. */
function formatOf(mediaType: string): CollectedSignature['format'] | undefined {
  if (mediaType.startsWith(BUNDLE_TYPE_PREFIX)) return 'bundle';
  if (mediaType === SIMPLE_SIGNING_TYPE) return 'older-signature';
  return mediaType === DSSE_ENVELOPE_TYPE ? 'older-attestation' : undefined;
}

async function fetchLayer(source: Source, layer: Descriptor): Promise<Outcome[]> {
  const { client, image, budget } = source;
  const format = formatOf(layer.mediaType);
  if (format === undefined) return [];
  if (format !== 'bundle') return fetchOlder(source, layer, format);
  return servedOr(layer, async () => {
    if (!isSha256(layer.digest)) return [notServed(layer, 'its digest is none that is checked')];
    if (layer.size > BUNDLE_LIMITS.maxBytes || !budget.take(layer.size)) return [tooLarge(layer)];
    const bundle = await client.getBlob(image, layer.digest, layer.size);
    return [{ found: { format: 'bundle', digest: layer.digest, bundle } }];
  });
}

async function fetchOlder(
  { client, image, reader, budget }: Source,
  layer: Descriptor,
  format: 'older-signature' | 'older-attestation',
): Promise<Outcome[]> {
  const maxBytes = format === 'older-signature' ? MAX_SIGNED_TEXT_BYTES : BUNDLE_LIMITS.maxBytes;
  return servedOr(layer, async () => {
    if (!isSha256(layer.digest)) return [notServed(layer, 'its digest is none that is checked')];
    if (layer.size > maxBytes || !budget.take(layer.size)) return [tooLarge(layer)];
    const content = await client.getBlob(image, layer.digest, layer.size);
    const { mediaType, annotations = {} } = layer;
    const older = { mediaType, content, annotations };
    const found = collectedOlder(older, reader);
    return found === undefined
      ? [malformed(layer, 'its annotations hold no signature, certificate and log entry')]
      : [{ found }];
  });
}

/**
 * A signature in the older format whose layer is at hand, as it is collected from a registry; undefined where its media
 * type is none of the format's, or its annotations hold no signature. Nothing in it is verified.
 */
export function collectedOlder(layer: OlderLayer, reader: OlderReader = {}): CollectedSignature | undefined {
  const format = formatOf(layer.mediaType);
  const bundle = format === undefined || format === 'bundle' ? undefined : bundleOfOlderLayer(layer, reader);
  if (format === undefined || bundle === undefined) return undefined;
  const payload = format === 'older-signature' ? { payload: layer.content } : {};
  return { format, digest: digestOf(layer.content), bundle, layer, ...payload };
}

/** Content that the registry lists and does not serve was not seen; a registry that fails is a failure. */
async function servedOr(descriptor: Descriptor, fetch: () => Promise<Outcome[]>): Promise<Outcome[]> {
  try {
    return await fetch();
  } catch (error) {
    const isOfOne =
      error instanceof RegistryError &&
      ['registry.not_found', 'registry.digest_mismatch', 'registry.too_large'].includes(error.code);
    if (!isOfOne) throw error;
    return [notServed(descriptor, error.message)];
  }
}

function malformed({ digest }: Descriptor, reason: string): Outcome {
  return {
    rejected: { code: 'image.attachment_malformed', message: `the attachment ${digest} does not count: ${reason}` },
  };
}

function notServed({ digest }: Descriptor, reason: string): Outcome {
  return {
    incomplete: { code: 'image.attachment_unreadable', message: `the attachment ${digest} was not read: ${reason}` },
  };
}

function tooLarge({ digest, size }: Descriptor): Outcome {
  return {
    incomplete: {
      code: 'image.attachment_too_large',
      message: `the attachment ${digest} has ${size} bytes: not fetched`,
    },
  };
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
