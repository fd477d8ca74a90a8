import type { NegativesSource, Policy } from '@colophon/admission';
import type { RejectedSignature } from '@colophon/records';
import {
  AttachmentBudget,
  assessCollected,
  type CollectedSignatures,
  collectImageSignatures,
  collectManifestSignatures,
  type FetchedManifest,
  ImageSignatureError,
  type ImageVerification,
  imageToFetch,
  manifestDigests,
  type RegistryClient,
  RegistryError,
  type ResolvedImage,
  type RoomShare,
  type TrustMaterial,
  type VerifiedImageSignature,
} from '@colophon/sigstore';
import { type FetchedList, fetchNegatives } from '../standing-negatives/fetch-negatives.ts';

type Attached = CollectedSignatures | { readonly overcrowded: string };

/** Everything that registry and stores gave for one image. Nothing of it is verified but digests. */
export type ImageMaterial = {
  /** As somebody wrote it, e.g. `ghcr.io/acme/app:v1`. */
  readonly reference: string;
  readonly image: ResolvedImage;
  /** What is attached; in place of it the message of an image with more than is looked at. */
  readonly attached: Attached;
  /** What is attached to the manifests in it; absent where nobody looked. */
  readonly attachedToManifests?: CollectedSignatures | undefined;
  /** The manifest of the image and, where it is an index, the indexes inside it. */
  readonly manifests: readonly FetchedManifest[];
  readonly lists: readonly FetchedList[];
};

/** Material whose signatures were verified, whoever made them. */
export type AssessedImage = {
  readonly material: ImageMaterial;
  readonly verification: ImageVerification | { readonly overcrowded: string };
  /** Digests of the manifests in an index. */
  readonly manifests: readonly string[];
  /** What was verified of what is attached to them, and what may be a signature there and was not read. */
  readonly ofManifests: {
    readonly verified: readonly VerifiedImageSignature[];
    readonly incomplete: readonly RejectedSignature[];
  };
};

export type GatherImageOptions = {
  readonly reference: string;
  readonly registry: RegistryClient;
  /** The lists of standing rejections to fetch. */
  readonly sources: readonly NegativesSource[];
  /** Whether a bare key may have signed: then signatures in the older format without a certificate are read too. */
  readonly byKey?: boolean | undefined;
  /** Whether what is attached to the manifests in an index is asked for: see {@link asksForManifests}. */
  readonly withManifests?: boolean | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Is told once what the reference means, before anything else is fetched. */
  readonly onResolved?: ((image: ResolvedImage) => void) | undefined;
  /** What of the room for attachments the image holds; ended by the caller, once the material is of no use. */
  readonly share?: RoomShare | undefined;
};

/**
 * Resolves an image once, and fetches what is attached to it, its manifests and the lists of standing rejections. A list
 * that cannot be had is part of the answer.
 * @throws RegistryError `registry.reference_invalid`, and wherever the registry fails
 */
export async function gatherImage(options: GatherImageOptions): Promise<ImageMaterial> {
  const { reference, registry, sources, fetch, byKey = false, withManifests = false, share } = options;
  const image = await registry.resolve(imageToFetch(reference));
  options.onResolved?.(image);
  const kept = new KeptManifests(registry);
  const addresses = [...new Set(sources.map(({ from }) => from))];
  const limits = { byKey, share, budget: new AttachmentBudget() };
  const [attached, lists, parts] = await Promise.all([
    unlessOvercrowded(() => collectImageSignatures(registry, image, limits)),
    Promise.all(addresses.map((from) => fetchNegatives(from, { fetch }))),
    manifestDigests(kept, image),
  ]);
  const attachedToManifests = withManifests
    ? await orUnread(image, () => collectManifestSignatures(registry, image, parts, limits))
    : undefined;
  return { reference, image, attached, attachedToManifests, manifests: kept.all, lists };
}

/**
 * Whether a policy admits what no agent made: then what is attached to a manifest in an index may say that an agent made it,
 * and is asked for. No other policy hears it.
 */
export function asksForManifests(policies: readonly Policy[]): boolean {
  return policies.some(({ maker }) => maker.kind !== 'agent');
}

/** PEM of every bare key that policies name. */
export function keysOf(policies: readonly Policy[]): string[] {
  const rules = policies.flatMap(({ maker, provenance, require }) => [
    ...(maker.kind === 'legacy' ? [] : [maker]),
    ...(provenance === undefined ? [] : [provenance]),
    ...require,
  ]);
  return [...new Set(rules.flatMap(({ identity }) => identity.keys))];
}

export type AssessMaterialOptions = {
  /** PEM of bare keys. */
  readonly keys?: readonly string[] | undefined;
  readonly share?: RoomShare | undefined;
  /** Asked before each attachment: what it throws ends the verification. */
  readonly assertInTime?: (() => void) | undefined;
};

/**
 * Verifies what was gathered, under the given roots and bare keys. Asks nobody and reads no clock.
 * @throws RegistryError where a manifest of an index is not among those that were gathered, or cannot be read
 */
export async function assessMaterial(
  material: ImageMaterial,
  trust: TrustMaterial,
  options: AssessMaterialOptions = {},
): Promise<AssessedImage> {
  const { attached, attachedToManifests, image } = material;
  const byDigest = new Map(material.manifests.map((manifest) => [manifest.digest, manifest]));
  const gathered = { getManifest: async (_: unknown, digest: string) => byDigest.get(digest) };
  // Which identities count is what the policies say.
  const by = { ...options, trust, policy: 'gated-elsewhere', budget: new AttachmentBudget() } as const;
  const verification = 'overcrowded' in attached ? attached : await assessCollected(attached, by);
  const manifests = await manifestDigests(gathered, image);
  const parts = attachedToManifests && (await assessCollected(attachedToManifests, by));
  return { material, verification, manifests, ofManifests: partsOf(manifests, parts) };
}

/** What nobody looked at is as good as not read. */
function partsOf(manifests: readonly string[], parts: ImageVerification | undefined): AssessedImage['ofManifests'] {
  if (manifests.length === 0) return { verified: [], incomplete: [] };
  if (parts !== undefined) return parts;
  const message = 'what is attached to the manifests of the index was not asked for';
  return { verified: [], incomplete: [{ code: 'image.attachment_unreadable', message }] };
}

/**
 * Where the registry fails for a manifest, or too much is attached to it, the image itself was read: who does not ask for
 * its manifests is not concerned.
 */
async function orUnread(
  image: ResolvedImage,
  collect: () => Promise<CollectedSignatures>,
): Promise<CollectedSignatures> {
  try {
    return await collect();
  } catch (error) {
    if (!(error instanceof RegistryError || isOvercrowded(error))) throw error;
    return { image, found: [], rejected: [], incomplete: [{ code: error.code, message: error.message }] };
  }
}

async function unlessOvercrowded(collect: () => Promise<CollectedSignatures>): Promise<Attached> {
  try {
    return await collect();
  } catch (error) {
    if (isOvercrowded(error)) return { overcrowded: error.message };
    throw error;
  }
}

function isOvercrowded(error: unknown): error is ImageSignatureError {
  return error instanceof ImageSignatureError && error.code === 'image.too_many_signatures';
}

/** Manifests of a registry, each kept as it was served. */
class KeptManifests {
  readonly #kept = new Map<string, FetchedManifest>();
  readonly #registry: RegistryClient;

  constructor(registry: RegistryClient) {
    this.#registry = registry;
  }

  get all(): readonly FetchedManifest[] {
    return [...this.#kept.values()];
  }

  async getManifest(...asked: Parameters<RegistryClient['getManifest']>): Promise<FetchedManifest | undefined> {
    const manifest = await this.#registry.getManifest(...asked);
    if (manifest !== undefined) this.#kept.set(manifest.digest, manifest);
    return manifest;
  }
}
