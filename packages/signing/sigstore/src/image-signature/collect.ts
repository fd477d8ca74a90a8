import { eachAtOnce } from '@colophon/peer';
import type { AttachmentFormat, RejectedSignature } from '@colophon/records';
import { BUNDLE_LIMITS } from '../bundle/bundle-json.ts';
import { digestOf, MAX_MANIFEST_BYTES, type RegistryClient, type ResolvedImage } from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { MAX_SIGNED_TEXT_BYTES } from '../signed-text/signed-text.ts';
import { STATEMENT_LIMITS } from '../verify/statement.ts';
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

/** Bytes of the lists of an image and of the manifests in it: as many as those of an image alone may have. */
const MAX_LIST_BYTES = MAX_REFERRER_BYTES + 3 * MAX_MANIFEST_BYTES;

/** What may still be read of an image and of the manifests in it, all of it together. */
export class AttachmentBudget {
  signatures = MAX_IMAGE_SIGNATURES;
  attachmentBytes = MAX_ATTACHMENT_BYTES;
  listBytes = MAX_LIST_BYTES;
  /** Values of statements, the names of members among them. */
  statementValues = 2 * STATEMENT_LIMITS.maxValues;
}

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
  /** Digest of the manifest in the image that it is attached to; absent where that is the image itself. */
  readonly manifest?: string;
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
  /** What may be read; all that may be read of an image, where absent. What is read is taken from it. */
  readonly budget?: AttachmentBudget | undefined;
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
  { share, budget = new AttachmentBudget(), ...reader }: CollectOptions = {},
): Promise<CollectedSignatures> {
  const source: Source = { client, image, reader, share };
  const listed = await listWithin(source);
  if (listed === undefined) return { image, found: [], rejected: [], incomplete: [noRoom('what refers to the image')] };
  budget.listBytes -= listed.bytes;
  const outcomes = await fetchListed([{ source, listed }], budget, share);
  return collected(image, [...outcomes, ...(listed.isComplete ? [] : [{ incomplete: UNLISTED }])]);
}

/**
 * Collects what is attached to the manifests in an image, such as one for each platform, within what the budget has left.
 * What cannot be listed within it is incomplete.
 * @throws ImageSignatureError `image.too_many_signatures` for more than the budget has left, of all manifests together
 * @throws RegistryError where the registry fails
 */
export async function collectManifestSignatures(
  client: RegistryClient,
  image: ResolvedImage,
  manifests: readonly string[],
  { share, budget = new AttachmentBudget(), ...reader }: CollectOptions = {},
): Promise<CollectedSignatures> {
  const sources = manifests
    .filter(isSha256)
    .map((manifest): Source => ({ client, image: { ...image, digest: manifest }, manifest, reader, share }));
  const unchecked = manifests
    .filter((digest) => !isSha256(digest))
    .map((digest) => ({ incomplete: notListed(digest) }));
  const lists = await listEach(sources, budget, share);
  const outcomes = await fetchListed(
    lists.flatMap(({ source, listed }) => (listed === undefined ? [] : [{ source, listed }])),
    budget,
    share,
  );
  const missed = lists.flatMap(({ incomplete }) => (incomplete === undefined ? [] : [{ incomplete }]));
  return collected(image, [...outcomes, ...unchecked, ...missed]);
}

const UNLISTED = { code: 'image.referrers_incomplete', message: 'the registry lists more than could be asked for' };

function notListed(digest: string): RejectedSignature {
  const message = `what is attached to the manifest ${digest} was not read: its digest is none that is checked`;
  return { code: 'image.attachment_unreadable', message };
}

function collected(image: ResolvedImage, outcomes: readonly Outcome[]): CollectedSignatures {
  return {
    image,
    found: withoutCopies(outcomes.flatMap((outcome) => ('found' in outcome ? [outcome.found] : []))),
    rejected: outcomes.flatMap((outcome) => ('rejected' in outcome ? [outcome.rejected] : [])),
    incomplete: outcomes.flatMap((outcome) => ('incomplete' in outcome ? [outcome.incomplete] : [])),
  };
}

/** Everything in lists that may be a signature, as far as the budget and the room of this process go. */
async function fetchListed(
  lists: ReadonlyArray<{ readonly source: Source; readonly listed: Listed }>,
  budget: AttachmentBudget,
  share: RoomShare | undefined,
): Promise<readonly Outcome[]> {
  assertNotTooMany(
    lists.reduce((sum, { listed }) => sum + countOf(listed), 0),
    budget,
  );
  const referrers = lists.flatMap(({ source, listed }) =>
    listed.referrers.map((descriptor) => ({ source, descriptor })),
  );
  const steps: Step[] = [
    ...(await eachAtOnce(referrers, ({ source, descriptor }) => readReferrer(source, descriptor))).flat(),
    ...lists.flatMap(({ source, listed: { sig, att } }) => [
      ...sig.map((layer): Step => ({ source, layer, format: 'older-signature' })),
      ...att.map((layer): Step => ({ source, layer, format: 'older-attestation' })),
    ]),
  ];
  // A referrer is one in the list, and may hold several.
  assertNotTooMany(steps.length, budget);
  budget.signatures -= steps.length;
  return eachAtOnce(await withinLimits(steps, budget, share), (step) =>
    'layer' in step ? fetchLayer(step) : Promise.resolve(step),
  );
}

type Outcome =
  | { readonly found: CollectedSignature }
  | { readonly rejected: RejectedSignature }
  | { readonly incomplete: RejectedSignature };

/** A layer that may be fetched, or what became of it before. */
type Step = Outcome | LayerStep;
type LayerStep = { readonly source: Source; readonly layer: Descriptor; readonly format: AttachmentFormat };

type Source = {
  readonly client: RegistryClient;
  /** What is referred to: the image, or a manifest in it. */
  readonly image: ResolvedImage;
  /** Its digest where it is a manifest in the image. */
  readonly manifest?: string;
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
  const hasRoom = await share.hold(MAX_LIST_BYTES);
  return hasRoom ? listAttachments(client, image, most) : undefined;
}

type Listed = Awaited<ReturnType<typeof listAttachments>>;

/** The lists of a manifest, or why there are none. */
type ListOutcome = {
  readonly source: Source;
  readonly listed?: Listed | undefined;
  readonly incomplete?: RejectedSignature | undefined;
};

/**
 * The lists of several manifests, a few at a time as far as those of ordinary images go; then the longer ones, one after
 * another in one place in the room.
 */
async function listEach(
  sources: readonly Source[],
  budget: AttachmentBudget,
  share: RoomShare | undefined,
): Promise<ListOutcome[]> {
  const ordinary = { maxReferrerBytes: ORDINARY_LIST_BYTES, maxBytes: ORDINARY_LIST_BYTES };
  let count = 0;
  const list = async (source: Source, limits: typeof ordinary | { readonly maxReferrerBytes: number }) => {
    if (budget.listBytes <= 0) return undefined;
    const most = { maxPages: MAX_REFERRER_PAGES, ...limits };
    const listed = await unlessTooLarge(() => listAttachments(source.client, source.image, most));
    budget.listBytes -= listed?.bytes ?? 0;
    return listed;
  };
  const counted = (source: Source, listed: Listed): ListOutcome => {
    count += countOf(listed);
    assertNotTooMany(count, budget);
    return { source, listed };
  };
  const first = await eachAtOnce(sources, async (source): Promise<ListOutcome> => {
    const listed = await list(source, ordinary);
    return listed?.isComplete ? counted(source, listed) : { source };
  });
  const outcomes = first.filter(({ listed }) => listed !== undefined);
  const long = first.filter(({ listed }) => listed === undefined);
  const hasRoom = long.length === 0 || share === undefined || (await share.hold(MAX_LIST_BYTES));
  for (const { source } of long) {
    const { digest } = source.image;
    const most = { maxReferrerBytes: Math.min(MAX_REFERRER_BYTES, budget.listBytes) };
    const listed = hasRoom ? await list(source, most) : undefined;
    const incomplete = hasRoom ? UNLISTED : noRoom(`what refers to the manifest ${digest}`);
    if (listed !== undefined) outcomes.push(counted(source, listed));
    if (listed?.isComplete !== true) outcomes.push({ source, incomplete });
  }
  return outcomes;
}

function countOf({ referrers, sig, att }: Listed): number {
  return referrers.length + sig.length + att.length;
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
      return format === undefined ? [] : [{ source, layer, format }];
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
async function withinLimits(
  steps: readonly Step[],
  budget: AttachmentBudget,
  share: RoomShare | undefined,
): Promise<readonly Step[]> {
  let held = 0;
  const within = steps.map((step): Step => {
    if (!('layer' in step)) return step;
    const { layer, format } = step;
    if (!isSha256(layer.digest)) return notServed(layer, 'its digest is none that is checked');
    const maxBytes = format === 'older-signature' ? MAX_SIGNED_TEXT_BYTES : BUNDLE_LIMITS.maxBytes;
    if (layer.size > maxBytes || layer.size > budget.attachmentBytes) return tooLarge(layer);
    budget.attachmentBytes -= layer.size;
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

async function fetchLayer({ source, layer, format }: LayerStep): Promise<Outcome> {
  const { client, image, manifest, reader } = source;
  const at = manifest === undefined ? {} : { manifest };
  try {
    const content = await client.getBlob(image, layer.digest, layer.size);
    if (format === 'bundle') return { found: { format, digest: layer.digest, bundle: content, ...at } };
    const { mediaType, annotations = {} } = layer;
    const found = collectedOlder({ mediaType, content, annotations }, reader);
    return found === undefined
      ? malformed(layer, 'its annotations hold no signature, certificate and log entry')
      : { found: { ...found, ...at } };
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

/** @throws ImageSignatureError `image.too_many_signatures` for more than the budget has left */
function assertNotTooMany(count: number, budget: AttachmentBudget): void {
  if (count <= budget.signatures) return;
  const all = MAX_IMAGE_SIGNATURES - budget.signatures + count;
  throw new ImageSignatureError(
    'image.too_many_signatures',
    `the image has ${all} signatures and attestations; at most ${MAX_IMAGE_SIGNATURES} are looked at`,
  );
}

/** One signature in two places is one; of two manifests it is one of each, for it may name one of them alone. */
function withoutCopies(found: readonly CollectedSignature[]): CollectedSignature[] {
  const seen = new Set<string>();
  return found.filter(({ format, digest, bundle, manifest = '' }) => {
    const content = `${manifest} ${format === 'bundle' ? digest : digestOf(bundle)}`;
    return !seen.has(content) && seen.add(content);
  });
}
