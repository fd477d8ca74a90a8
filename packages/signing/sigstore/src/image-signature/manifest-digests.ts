import { MOST_REJECTED_DIGESTS } from '@colophon/records';
import { MAX_MANIFEST_BYTES, type RegistryClient, type ResolvedImage } from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { isSha256, parseOciDocument } from './oci-manifest.ts';

/** Bytes of an image's manifest and of all indexes in it: they are kept until it is decided. */
const MAX_INDEX_BYTES = 2 * MAX_MANIFEST_BYTES;

/** A manifest that an index lists, and what it runs on by the index's word. */
export type ListedManifest = { readonly digest: string; readonly platform: string };

/**
 * The digests of the manifests in an image index, as {@link listedManifests} finds them.
 * @throws RegistryError as {@link listedManifests}
 */
export async function manifestDigests(
  client: Pick<RegistryClient, 'getManifest'>,
  image: ResolvedImage,
): Promise<string[]> {
  return (await listedManifests(client, image)).map(({ digest }) => digest);
}

/**
 * The manifests in an image index, such as one for each platform, and those in an index inside it; none for an image that is
 * no index. Whether it is one is read from its bytes, which have the digest, and not from what the
 * registry calls them.
 * @throws RegistryError `registry.answer_invalid` for an index that cannot be read, `registry.too_large` for more
 *   manifests than one rejection may name or for more than 8 MiB of indexes, and others
 */
export async function listedManifests(
  client: Pick<RegistryClient, 'getManifest'>,
  image: ResolvedImage,
): Promise<ListedManifest[]> {
  const found = new Map([[image.digest, { mediaType: image.mediaType, platform: '' }]]);
  let bytes = 0;
  // What is added while it is gone through is gone through too.
  for (const [digest, { mediaType }] of found) {
    const isTop = digest === image.digest;
    if (!isTop && (!/\b(?:index|list)\b/.test(mediaType) || !isSha256(digest))) continue;
    const manifest = await client.getManifest(image, digest);
    bytes += manifest?.bytes.length ?? 0;
    if (bytes > MAX_INDEX_BYTES) {
      throw new RegistryError('registry.too_large', `the indexes of the image have more than ${MAX_INDEX_BYTES} bytes`);
    }
    const document = manifest === undefined ? undefined : parseOciDocument(manifest.bytes);
    if (document === undefined)
      throw new RegistryError('registry.answer_invalid', 'the manifest of the image cannot be read');
    for (const [place, { digest: child, mediaType: type }] of document.manifests.entries()) {
      found.set(child, { mediaType: type, platform: document.platforms[place] as string });
    }
    if (found.size > MOST_REJECTED_DIGESTS) {
      throw new RegistryError('registry.too_large', `the image has more than ${MOST_REJECTED_DIGESTS} manifests`);
    }
  }
  found.delete(image.digest);
  return [...found].map(([digest, { platform }]) => ({ digest, platform }));
}

/** A manifest of an index that was fetched: its registry has it. */
export type FetchedPlatform = { readonly platform: string; readonly image: ResolvedImage };

/**
 * Every manifest in an image index, each fetched by its digest.
 * @throws RegistryError `registry.not_found` for one that the registry does not have, and as {@link listedManifests}
 */
export async function fetchPlatforms(
  client: Pick<RegistryClient, 'getManifest'>,
  image: ResolvedImage,
): Promise<FetchedPlatform[]> {
  const { registry, repository } = image;
  const fetched: FetchedPlatform[] = [];
  for (const { digest, platform } of await listedManifests(client, image)) {
    // Content of another algorithm cannot be checked.
    const manifest = isSha256(digest) ? await client.getManifest(image, digest) : undefined;
    if (manifest === undefined) {
      const message = `the index lists ${digest} (${platform}), and the registry does not have it`;
      throw new RegistryError('registry.not_found', message);
    }
    const { mediaType, bytes } = manifest;
    fetched.push({ platform, image: { registry, repository, digest, mediaType, size: bytes.length } });
  }
  return fetched;
}
