import { digestOf, type ReferrerPages, RegistryClient, type ResolvedImage } from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { TrustMaterial } from '../trusted-root/trust-material.ts';
import { attachBundle, attachOlderLayer } from './attach.ts';
import { olderTag, referrersTag, SIGN_PREDICATE_TYPE } from './attachment.ts';
import { collectImageSignatures } from './collect.ts';
import { listAttachments } from './listing.ts';
import { type Descriptor, encodeOciDocument, OCI_INDEX_TYPE, OCI_MANIFEST_TYPE } from './oci-manifest.ts';
import { entryKey } from './verify-each.ts';
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
 * Everything that may be a signature of an image, however much it is: for the one who cleans up where assessImage refuses.
 * @throws RegistryError
 */
async function listAll(client: RegistryClient, image: ResolvedImage): Promise<Attachment[]> {
  const { referrers, sig, att, isComplete } = await listAttachments(client, image, { maxPages: MAX_PAGES });
  if (!isComplete) throw new RegistryError('registry.too_large', 'the registry lists more than can be asked for');
  return [
    ...referrers.map((descriptor): Attachment => ({ listed: 'referrer', descriptor })),
    ...sig.map((descriptor): Attachment => ({ listed: 'sig', descriptor })),
    ...att.map((descriptor): Attachment => ({ listed: 'att', descriptor })),
  ];
}

/** A signature that verifies with nothing but its attachment; a referrer may hold several. */
export type VerifiedAttachment = { readonly attachment: Attachment; readonly verified: VerifiedImageSignature };

/** What of an image's attachments verifies: by those that the policy accepts, and by others. */
export type SortedAttachments = {
  readonly count: number;
  /** Attachments that were read, and in which nothing verifies. */
  readonly unverified: number;
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
  const attachments = await listAll(options.client, options.image);
  const accepted: VerifiedAttachment[] = [];
  const others: VerifiedAttachment[] = [];
  let unverified = 0;
  let unread = 0;
  for (let i = 0; i < attachments.length; i += PARALLEL_READS) {
    const few = attachments.slice(i, i + PARALLEL_READS);
    const assessed = await Promise.all(few.map((attachment) => assessOne(attachment, options, 'gated-elsewhere')));
    for (const [n, all] of assessed.entries()) {
      const attachment = few[n] as Attachment;
      unread += all.incomplete.length;
      if (all.verified.length + all.incomplete.length === 0) unverified++;
      const isGated = all.verified.length > 0 && options.policy !== 'gated-elsewhere';
      const { verified } = isGated ? await assessOne(attachment, options, options.policy) : all;
      const entries = new Set(verified.map(entryOf));
      for (const one of all.verified) {
        (entries.has(entryOf(one)) ? accepted : others).push({ attachment, verified: one });
      }
    }
  }
  return { count: attachments.length, unverified, unread, accepted, others };
}

function assessOne(
  attachment: Attachment,
  options: AssessImageOptions,
  policy: AssessImageOptions['policy'],
): Promise<ImageVerification> {
  const client = new OneAttachment(options.client, options.image, attachment);
  return assessImage({ ...options, client, policy });
}

/** A signature in one format; its entry in the log says which. */
function entryOf(signature: VerifiedImageSignature): string {
  return `${signature.format} ${entryKey(signature)}`;
}

/**
 * Attaches the same signatures, each in its own format, to the same image in another repository, which has to hold the
 * image.
 * @returns those that do not verify there now: what the other registry answered is no proof
 * @throws RegistryError
 */
export async function copyAttachments(
  attachments: readonly VerifiedAttachment[],
  { client, from, to, trust, now }: CopyOptions,
): Promise<VerifiedAttachment[]> {
  for (const one of attachments) await copyOne(one, { client, from, to, now });
  const { accepted } = await sortAttachments({ client, image: to, trust, policy: 'gated-elsewhere' });
  const entries = new Set(accepted.map(({ verified }) => entryOf(verified)));
  return attachments.filter(({ verified }) => !entries.has(entryOf(verified)));
}

type CopyOptions = {
  readonly client: RegistryClient;
  readonly from: ResolvedImage;
  readonly to: ResolvedImage;
  readonly trust: TrustMaterial;
  readonly now: Date;
};

async function copyOne(
  { attachment, verified: { bundle_digest, statement } }: VerifiedAttachment,
  { client, from, to, now }: Omit<CopyOptions, 'trust'>,
): Promise<void> {
  const { found } = await collectImageSignatures(new OneAttachment(client, from, attachment), from);
  const same = found.find(({ bundle }) => digestOf(bundle) === bundle_digest);
  if (same === undefined) throw new RegistryError('registry.not_found', 'the attachment is not there any more');
  const { format, bundle, layer } = same;
  if (layer !== undefined) return attachOlderLayer(client, to, format === 'older-signature' ? 'sig' : 'att', layer);
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

  override until(signal: AbortSignal): RegistryClient {
    return new OneAttachment(this.#client.until(signal), this.#image, this.#attachment);
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
