import type { RegistryClient, ResolvedImage } from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { BUNDLE_TYPE_PREFIX, DSSE_ENVELOPE_TYPE, olderTag, referrersTag, SIMPLE_SIGNING_TYPE } from './attachment.ts';
import { type Descriptor, parseOciDocument } from './oci-manifest.ts';

/** How cosign names attestations that it attaches as referrers without a bundle. */
const IN_TOTO_ARTIFACT_TYPE = 'application/vnd.in-toto+json';
const COSIGN_TYPE_PREFIX = 'application/vnd.dev.cosign.';

/** What the registry lists for an image that may be a signature. Nothing of it was read. */
type ListedAttachments = {
  readonly referrers: readonly Descriptor[];
  /** Layers under the tag `.sig`. */
  readonly sig: readonly Descriptor[];
  /** Layers under the tag `.att`. */
  readonly att: readonly Descriptor[];
  /** False where the registry has more referrers than could be asked for. */
  readonly isComplete: boolean;
  /** Of all these lists together. */
  readonly bytes: number;
};

/** How much of a list is read. */
export type ListLimits = {
  readonly maxPages: number;
  /** Of all pages of referrers together. */
  readonly maxReferrerBytes?: number | undefined;
  /** Of the index under the fallback tag, and of each list of layers. */
  readonly maxBytes?: number | undefined;
};

/**
 * Lists what may be a signature or attestation of an image: referrers by the registry's own API and by the fallback tag,
 * and the layers under the tags `.sig` and `.att`. SBOMs and whatever else refers to the image are not in it.
 * @throws RegistryError where the registry fails, a list is larger than is read, or cannot be read
 */
export async function listAttachments(
  client: RegistryClient,
  image: ResolvedImage,
  limits: ListLimits,
): Promise<ListedAttachments> {
  const [referrers, sig, att] = await Promise.all([
    listReferrers(client, image, limits),
    listLayers(client, image, 'sig', SIMPLE_SIGNING_TYPE, limits),
    listLayers(client, image, 'att', DSSE_ENVELOPE_TYPE, limits),
  ]);
  const bytes = referrers.bytes + sig.bytes + att.bytes;
  return { ...referrers, sig: sig.layers, att: att.layers, bytes };
}

/** The types that stand for signatures alone; cosign's own types also name SBOMs. */
export function isDeclaredSignature(artifactType: string | undefined): boolean {
  if (artifactType === undefined) return false;
  if (artifactType.startsWith(BUNDLE_TYPE_PREFIX)) return true;
  return artifactType.startsWith(COSIGN_TYPE_PREFIX) && !artifactType.includes('sbom');
}

async function listReferrers(
  client: RegistryClient,
  image: ResolvedImage,
  { maxPages, maxReferrerBytes, maxBytes }: ListLimits,
): Promise<Pick<ListedAttachments, 'referrers' | 'isComplete' | 'bytes'>> {
  const [listed, fallback] = await Promise.all([
    client.getReferrers(image, image.digest, {
      maxPages,
      ...(maxReferrerBytes === undefined ? {} : { maxBytes: maxReferrerBytes }),
    }),
    client.getManifest(image, referrersTag(image.digest), bounded(maxBytes)),
  ]);
  const lists = [...(listed?.pages ?? []), ...(fallback === undefined ? [] : [fallback.bytes])];
  const byDigest = new Map<string, Descriptor>();
  for (const list of lists) {
    const document = parseOciDocument(list, 'manifests');
    if (document === undefined) {
      throw new RegistryError('registry.answer_invalid', 'the list of what refers to the image cannot be read');
    }
    // Others may list the same digest as something else: what makes it a signature counts. Its size is not believed.
    for (const one of document.manifests.filter(mayBeSignature)) {
      if (!isDeclaredSignature(byDigest.get(one.digest)?.artifactType)) byDigest.set(one.digest, one);
    }
  }
  const bytes = lists.reduce((sum, list) => sum + list.length, 0);
  return { referrers: [...byDigest.values()], isComplete: listed?.isComplete ?? true, bytes };
}

/**
 * What may be a signature: bundles, what cosign writes in place of one, and what gives no type. Lists written by older clients
 * leave the type out, or give that of the empty config.
 */
function mayBeSignature({ artifactType }: Descriptor): boolean {
  return (
    artifactType === undefined ||
    artifactType === 'application/vnd.oci.empty.v1+json' ||
    artifactType === IN_TOTO_ARTIFACT_TYPE ||
    artifactType === DSSE_ENVELOPE_TYPE ||
    isDeclaredSignature(artifactType)
  );
}

async function listLayers(
  client: RegistryClient,
  image: ResolvedImage,
  kind: 'sig' | 'att',
  mediaType: string,
  { maxBytes }: ListLimits,
): Promise<{ readonly layers: readonly Descriptor[]; readonly bytes: number }> {
  const manifest = await client.getManifest(image, olderTag(image.digest, kind), bounded(maxBytes));
  if (manifest === undefined) return { layers: [], bytes: 0 };
  const document = parseOciDocument(manifest.bytes, 'layers');
  if (document === undefined) {
    throw new RegistryError('registry.answer_invalid', `the list under the tag .${kind} of the image cannot be read`);
  }
  return { layers: document.layers.filter((layer) => layer.mediaType === mediaType), bytes: manifest.bytes.length };
}

function bounded(maxBytes: number | undefined): { maxBytes?: number } {
  return maxBytes === undefined ? {} : { maxBytes };
}
