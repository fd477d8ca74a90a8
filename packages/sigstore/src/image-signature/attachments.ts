import { BUNDLE_LIMITS } from '../bundle/parse-bundle.ts';
import {
  digestOf,
  type FetchedManifest,
  type ReferrerPages,
  RegistryClient,
  type ResolvedImage,
} from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { attachBundle, attachOlderLayer } from './attach.ts';
import { olderTag, referrersTag, SIGN_PREDICATE_TYPE } from './attachment.ts';
import {
  type Descriptor,
  encodeOciDocument,
  OCI_INDEX_TYPE,
  OCI_MANIFEST_TYPE,
  parseOciDocument,
} from './oci-manifest.ts';
import {
  type AssessImageOptions,
  assessImage,
  type ImageVerification,
  type VerifiedImageSignature,
} from './verify-image.ts';

/** Pages of a list of referrers: a million attachments. */
const MAX_PAGES = 1000;
/** Attachments that are read at the same time. */
const PARALLEL_READS = 8;

/** One thing that is attached to an image, as its registry lists it; nothing of it was read. */
export type Attachment = {
  /** Where it is listed: as a referrer, or as a layer under the tag `.sig` or `.att`. */
  readonly listed: 'referrer' | 'sig' | 'att';
  readonly descriptor: Descriptor;
};

/**
 * Everything that is attached to an image, however much it is: for the one who cleans up where assessImage refuses.
 * @throws RegistryError
 */
async function listAttachments(client: RegistryClient, image: ResolvedImage): Promise<Attachment[]> {
  const [referrers, fallback, sig, att] = await Promise.all([
    client.getReferrers(image, image.digest, { maxPages: MAX_PAGES }),
    client.getManifest(image, referrersTag(image.digest)),
    client.getManifest(image, olderTag(image.digest, 'sig')),
    client.getManifest(image, olderTag(image.digest, 'att')),
  ]);
  if (referrers?.isComplete === false) {
    throw new RegistryError('registry.too_large', 'the registry lists more than can be asked for');
  }
  const lists = [...(referrers?.pages ?? []), ...(fallback === undefined ? [] : [fallback.bytes])].map((bytes) =>
    readDocument(bytes, 'manifests'),
  );
  const byDigest = new Map(lists.flatMap(({ manifests }) => manifests.map((one) => [one.digest, one] as const)));
  const layersOf = (listed: 'sig' | 'att', manifest: FetchedManifest | undefined): Attachment[] =>
    manifest === undefined
      ? []
      : readDocument(manifest.bytes, 'layers').layers.map((descriptor) => ({ listed, descriptor }));
  return [
    ...[...byDigest.values()].map((descriptor): Attachment => ({ listed: 'referrer', descriptor })),
    ...layersOf('sig', sig),
    ...layersOf('att', att),
  ];
}

/** An attachment that verifies by itself. */
export type VerifiedAttachment = { readonly attachment: Attachment; readonly verified: VerifiedImageSignature };

/** What of an image's attachments verifies: by those that the policy accepts, and by others. */
export type SortedAttachments = {
  readonly count: number;
  /** What may be a signature and could not be read: larger than is read, or not served. */
  readonly unread: number;
  readonly accepted: readonly VerifiedAttachment[];
  readonly others: readonly VerifiedAttachment[];
};

/**
 * Verifies each attachment of an image by itself, as assessImage would if it were the only one. However many there are,
 * a few are held at a time.
 * @throws RegistryError
 */
export async function sortAttachments(options: AssessImageOptions): Promise<SortedAttachments> {
  const attachments = await listAttachments(options.client, options.image);
  const accepted: VerifiedAttachment[] = [];
  const others: VerifiedAttachment[] = [];
  let unread = 0;
  for (let i = 0; i < attachments.length; i += PARALLEL_READS) {
    const few = attachments.slice(i, i + PARALLEL_READS);
    const assessed = await Promise.all(few.map((attachment) => assessOne(attachment, options, 'gated-elsewhere')));
    for (const [n, { incomplete, verified }] of assessed.entries()) {
      unread += incomplete.length;
      const attachment = few[n] as Attachment;
      for (const one of verified) {
        const isAccepted =
          options.policy === 'gated-elsewhere' ||
          (await assessOne(attachment, options, options.policy)).verified.length > 0;
        (isAccepted ? accepted : others).push({ attachment, verified: one });
      }
    }
  }
  return { count: attachments.length, unread, accepted, others };
}

function assessOne(
  attachment: Attachment,
  options: AssessImageOptions,
  policy: AssessImageOptions['policy'],
): Promise<ImageVerification> {
  const client = new OneAttachment(options.client, options.image, attachment);
  return assessImage({ ...options, client, policy });
}

/**
 * Attaches the same signature to the same image in another repository, which has to hold the image.
 * @throws RegistryError
 */
export async function copyAttachment(
  { attachment: { listed, descriptor }, verified: { statement } }: VerifiedAttachment,
  {
    client,
    from,
    to,
    now,
  }: {
    readonly client: RegistryClient;
    readonly from: ResolvedImage;
    readonly to: ResolvedImage;
    readonly now: Date;
  },
): Promise<void> {
  if (listed !== 'referrer') {
    const { mediaType, annotations = {} } = descriptor;
    const content = await client.getBlob(from, descriptor.digest, BUNDLE_LIMITS.maxBytes);
    return attachOlderLayer(client, to, listed, { mediaType, content, annotations });
  }
  const manifest = await client.getManifest(from, descriptor.digest);
  const [layer] = manifest === undefined ? [] : readDocument(manifest.bytes, 'layers').layers;
  if (layer === undefined) throw new RegistryError('registry.not_found', 'the attachment is not there any more');
  const bundle = await client.getBlob(from, layer.digest, BUNDLE_LIMITS.maxBytes);
  await attachBundle(client, to, { bundle, predicateType: statement?.predicateType ?? SIGN_PREDICATE_TYPE, now });
}

/** A registry in which one attachment is all that the image has. */
class OneAttachment extends RegistryClient {
  readonly #client: RegistryClient;
  readonly #image: ResolvedImage;
  readonly #attachment: Attachment;

  constructor(client: RegistryClient, image: ResolvedImage, attachment: Attachment) {
    super();
    this.#client = client;
    this.#image = image;
    this.#attachment = attachment;
  }

  override async getReferrers(): Promise<ReferrerPages> {
    const { listed, descriptor } = this.#attachment;
    return { pages: [indexOf(listed === 'referrer' ? [descriptor] : [])], isComplete: true };
  }

  override async getManifest(...[repository, reference, limits]: Parameters<RegistryClient['getManifest']>) {
    const { listed, descriptor } = this.#attachment;
    const { digest } = this.#image;
    if (![referrersTag(digest), olderTag(digest, 'sig'), olderTag(digest, 'att')].includes(reference)) {
      return this.#client.getManifest(repository, reference, limits);
    }
    if (listed === 'referrer' || reference !== olderTag(digest, listed)) return undefined;
    const bytes = encodeOciDocument({ schemaVersion: 2, mediaType: OCI_MANIFEST_TYPE, layers: [descriptor] });
    return { bytes, digest: digestOf(bytes), mediaType: OCI_MANIFEST_TYPE };
  }

  override getBlob(...blob: Parameters<RegistryClient['getBlob']>): Promise<Uint8Array> {
    return this.#client.getBlob(...blob);
  }
}

function indexOf(manifests: readonly Descriptor[]): Uint8Array {
  return encodeOciDocument({ schemaVersion: 2, mediaType: OCI_INDEX_TYPE, manifests });
}

function readDocument(bytes: Uint8Array, list: 'layers' | 'manifests') {
  const document = parseOciDocument(bytes, list);
  if (document !== undefined) return document;
  throw new RegistryError('registry.answer_invalid', 'a list of attachments cannot be read');
}
