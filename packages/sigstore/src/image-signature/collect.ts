import { eachAtOnce } from '@colophon/peer';
import type { AttachmentFormat, RejectedSignature } from '@colophon/records';
import { BUNDLE_LIMITS } from '../bundle/bundle-json.ts';
import { digestOf, MAX_MANIFEST_BYTES, type RegistryClient, type ResolvedImage } from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { MAX_SIGNED_TEXT_BYTES } from '../signed-text/signed-text.ts';
import { VerificationError } from '../verify/verification-error.ts';
import { BUNDLE_TYPE_PREFIX, DSSE_ENVELOPE_TYPE, SIMPLE_SIGNING_TYPE } from './attachment.ts';
import type { RoomShare } from './attachment-room.ts';
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
/** Bytes of all pages of such a list. */
const MAX_REFERRER_BYTES = 16 * 1024 * 1024;
/** Bytes of a list of some hundred attachments, and of the manifest of one, which are read without room. */
const ORDINARY_LIST_BYTES = 256 * 1024;
const ORDINARY_MANIFEST_BYTES = 64 * 1024;
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

/** Who reads the attachments, and what they may take up. */
export type CollectOptions = OlderReader & {
  /** What the image holds of the room of this process; ended by the caller. Without it there is room for everything. */
  readonly share?: RoomShare | undefined;
};

/**
 * Collects the signatures and attestations of an image in both formats. Attachments that are too large, or for which
 * there is no room in time, are not fetched.
 * @throws ImageSignatureError `image.too_many_signatures`
 * @throws RegistryError where the registry fails: what is not seen is not "no signature"
 */
export async function collectImageSignatures(
  client: RegistryClient,
  image: ResolvedImage,
  { share, ...reader }: CollectOptions = {},
): Promise<CollectedSignatures> {
  const source: Source = { client, image, reader, share };
  const listed = await listWithin(source);
  if (listed === undefined) return { image, found: [], rejected: [], incomplete: [noRoom('what refers to the image')] };
  const { referrers, sig, att, isComplete } = listed;
  assertNotTooMany(referrers.length + sig.length + att.length);
  const steps: Step[] = [
    ...(await eachAtOnce(referrers, (descriptor) => readReferrer(source, descriptor))).flat(),
    ...sig.map((layer): Step => ({ layer, format: 'older-signature' })),
    ...att.map((layer): Step => ({ layer, format: 'older-attestation' })),
  ];
  // A referrer is one in the list, and may hold several.
  assertNotTooMany(steps.length);
  const outcomes = await eachAtOnce(await withinLimits(steps, share), (step) =>
    'layer' in step ? fetchLayer(source, step) : Promise.resolve(step),
  );
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

/** A layer that may be fetched, or what became of it before. */
type Step = Outcome | { readonly layer: Descriptor; readonly format: AttachmentFormat };

type Source = {
  readonly client: RegistryClient;
  readonly image: ResolvedImage;
  readonly reader: OlderReader;
  readonly share: RoomShare | undefined;
};

/**
 * The lists of an image, read without room as far as those of ordinary images go. Undefined where they are longer, and
 * there is no room for them in time.
 */
async function listWithin({ client, image, share }: Source) {
  const most = { maxPages: MAX_REFERRER_PAGES, maxReferrerBytes: MAX_REFERRER_BYTES };
  if (share === undefined) return listAttachments(client, image, most);
  const ordinary = { ...most, maxReferrerBytes: ORDINARY_LIST_BYTES, maxBytes: ORDINARY_LIST_BYTES };
  const listed = await unlessTooLarge(() => listAttachments(client, image, ordinary));
  if (listed?.isComplete) return listed;
  // The index under the fallback tag, and the two lists of layers.
  const hasRoom = await share.hold(MAX_REFERRER_BYTES + 3 * MAX_MANIFEST_BYTES);
  return hasRoom ? listAttachments(client, image, most) : undefined;
}

/** Every layer in a referrer that may be a signature: one, as it is written, or a few. */
async function readReferrer(source: Source, descriptor: Descriptor): Promise<Step[]> {
  const { image } = source;
  try {
    if (!isSha256(descriptor.digest)) return [notServed(descriptor, 'its digest is none that is checked')];
    const manifest = await manifestWithin(source, descriptor.digest);
    if (manifest === 'no room') return [{ incomplete: noRoom(`the attachment ${descriptor.digest}`) }];
    if (manifest === undefined) return [notServed(descriptor, 'the registry lists it and has no such content')];
    const document = parseOciDocument(manifest.bytes, undefined, BUNDLE_LIMITS.maxValues);
    if (document === undefined) return [notServed(descriptor, 'its manifest cannot be read')];
    const layers = document.layers.flatMap((layer) => {
      const format = formatOf(layer.mediaType);
      return format === undefined ? [] : [{ layer, format }];
    });
    if (layers.length === 0) {
      // Of an unknown type it may well be something else, an SBOM say.
      return isDeclaredSignature(descriptor.artifactType)
        ? [notServed(descriptor, 'no layer of it is a signature')]
        : [];
    }
    if (layers.length > MOST_LAYERS) return [notServed(descriptor, `it has more than ${MOST_LAYERS} layers`)];
    if (document.subject?.digest !== image.digest) return [malformed(descriptor, 'it refers to another image')];
    return layers;
  } catch (error) {
    return [unreadOr(error, descriptor)];
  }
}

/** The manifest of a referrer; undefined where there is none. */
async function manifestWithin({ client, image, share }: Source, digest: string) {
  if (share === undefined) return client.getManifest(image, digest);
  const ordinary = await unlessTooLarge(() =>
    client.getManifest(image, digest, { maxBytes: ORDINARY_MANIFEST_BYTES }).then((manifest) => ({ manifest })),
  );
  const size = ordinary === undefined ? MAX_MANIFEST_BYTES : (ordinary.manifest?.bytes.length ?? 0);
  if (!(await share.hold(size))) return 'no room';
  return ordinary === undefined ? client.getManifest(image, digest) : ordinary.manifest;
}

/** The same steps, without those for what is too large, or for what there is no room for in time. */
async function withinLimits(steps: readonly Step[], share: RoomShare | undefined): Promise<readonly Step[]> {
  let total = 0;
  let held = 0;
  const within = steps.map((step): Step => {
    if (!('layer' in step)) return step;
    const { layer, format } = step;
    if (!isSha256(layer.digest)) return notServed(layer, 'its digest is none that is checked');
    const maxBytes = format === 'older-signature' ? MAX_SIGNED_TEXT_BYTES : BUNDLE_LIMITS.maxBytes;
    if (layer.size > maxBytes || total + layer.size > MAX_ATTACHMENT_BYTES) return tooLarge(layer);
    total += layer.size;
    // An envelope without bundle is kept beside the bundle that is made of it.
    held += format === 'older-attestation' ? 2 * layer.size : layer.size;
    return step;
  });
  // All of it at once: who waited for more while it holds some would keep others waiting for what nobody reads.
  if (share === undefined || (await share.hold(held))) return within;
  return within.map((step) => ('layer' in step ? { incomplete: noRoom(`the attachment ${step.layer.digest}`) } : step));
}

/** How a layer is read, by its media type; undefined for what is no signature. */
function formatOf(mediaType: string): CollectedSignature['format'] | undefined {
  if (mediaType.startsWith(BUNDLE_TYPE_PREFIX)) return 'bundle';
  if (mediaType === SIMPLE_SIGNING_TYPE) return 'older-signature';
  return mediaType === DSSE_ENVELOPE_TYPE ? 'older-attestation' : undefined;
}

async function fetchLayer(
  { client, image, reader }: Source,
  { layer, format }: Extract<Step, { layer: Descriptor }>,
): Promise<Outcome> {
  try {
    const content = await client.getBlob(image, layer.digest, layer.size);
    if (format === 'bundle') return { found: { format, digest: layer.digest, bundle: content } };
    const { mediaType, annotations = {} } = layer;
    const found = collectedOlder({ mediaType, content, annotations }, reader);
    return found === undefined
      ? malformed(layer, 'its annotations hold no signature, certificate and log entry')
      : { found };
  } catch (error) {
    return unreadOr(error, layer);
  }
}

/**
 * A signature in the older format whose layer is at hand, as it is collected from a registry; undefined where its media
 * type is none of the format's, or its annotations hold no signature. Nothing in it is verified.
 * @throws VerificationError `bundle.too_large`
 */
export function collectedOlder(layer: OlderLayer, reader: OlderReader = {}): CollectedSignature | undefined {
  const format = formatOf(layer.mediaType);
  const bundle = format === undefined || format === 'bundle' ? undefined : bundleOfOlderLayer(layer, reader);
  if (format === undefined || bundle === undefined) return undefined;
  const payload = format === 'older-signature' ? { payload: layer.content } : {};
  return { format, digest: digestOf(layer.content), bundle, layer, ...payload };
}

/** Content that the registry lists and does not serve was not seen; a registry that fails is a failure. */
function unreadOr(error: unknown, descriptor: Descriptor): Outcome {
  const isTooMuch = error instanceof VerificationError && error.code === 'bundle.too_large';
  const isOfOne =
    error instanceof RegistryError &&
    ['registry.not_found', 'registry.digest_mismatch', 'registry.too_large'].includes(error.code);
  if (!isTooMuch && !isOfOne) throw error;
  return notServed(descriptor, error.message);
}

/** Undefined where the answer is larger than is read. */
async function unlessTooLarge<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'registry.too_large') return undefined;
    throw error;
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

/** What the process has no room for. */
export function noRoom(what: string): RejectedSignature {
  return {
    code: 'image.no_room',
    message: `${what} was not read: the process holds as much as it may for other images`,
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
  return found.filter(({ format, digest, bundle }) => {
    const content = format === 'bundle' ? digest : digestOf(bundle);
    return !seen.has(content) && seen.add(content);
  });
}
