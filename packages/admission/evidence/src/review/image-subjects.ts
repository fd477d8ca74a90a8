import type { ReviewedPlatform, Subject } from '@colophon/records';
import {
  type FetchedPlatform,
  fetchPlatforms,
  formatRepository,
  listedManifests,
  type RegistryClient,
  type ResolvedImage,
} from '@colophon/sigstore';

/** An image in a registry. */
export type WordImage = { readonly client: RegistryClient; readonly image: ResolvedImage };

/**
 * What a no to an image is about: the image and every manifest in it, at any depth, so that none of them passes without it.
 * @throws RegistryError
 */
export async function imageSubjects({ client, image }: WordImage): Promise<readonly Subject[]> {
  const manifests = await listedManifests(client, image);
  return [image, ...manifests].map(({ digest }) => subjectOf(image, digest));
}

/** What a yes to an image is about. */
export type ApprovedImage = {
  readonly subjects: readonly Subject[];
  /** Manifests of the index that are approved too; absent where nobody asked for them. */
  readonly platforms?: readonly (ReviewedPlatform & FetchedPlatform)[];
  /** How many manifests the index lists, at any depth; 0 for an image that is no index. */
  readonly listed: number;
};

/**
 * What a yes to an image is about: the image alone and, where `platforms` are asked for, every manifest in it that is there.
 * Whoever adds a manifest to an index, or names one that nobody can look at, adds nothing to what is approved.
 * @throws RegistryError `registry.not_found` for a manifest that is asked for and is not there, and others
 */
export async function approvedImage(
  { client, image }: WordImage,
  { platforms }: { readonly platforms: boolean },
): Promise<ApprovedImage> {
  if (!platforms) {
    const { length: listed } = await listedManifests(client, image);
    return { subjects: [subjectOf(image, image.digest)], listed };
  }
  const fetched = (await fetchPlatforms(client, image)).map((one) => ({ digest: one.image.digest, ...one }));
  const subjects = [image, ...fetched].map(({ digest }) => subjectOf(image, digest));
  return { subjects, platforms: fetched, listed: fetched.length };
}

function subjectOf(image: ResolvedImage, digest: string): Subject {
  return { name: formatRepository(image), digest: { sha256: digest.slice('sha256:'.length) } };
}
