import { MOST_REJECTED_DIGESTS } from '@colophon/records';
import { MAX_MANIFEST_BYTES, type RegistryClient, type ResolvedImage } from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { isSha256, parseOciDocument } from './oci-manifest.ts';

/** Bytes of an image's manifest and of all indexes in it: they are kept until it is decided. */
const MAX_INDEX_BYTES = 2 * MAX_MANIFEST_BYTES;

/**
 * The digests of the manifests in an image index, such as one for each platform, and of those in an index inside it; none
 * for an image that is no index. Whether it is one is read from its bytes, which have the digest, and not from what the
 * registry calls them.
 * @throws RegistryError `registry.answer_invalid` for an index that cannot be read, `registry.too_large` for more
 *   manifests than one rejection may name or for more than 8 MiB of indexes, and others
 */
export async function manifestDigests(
  client: Pick<RegistryClient, 'getManifest'>,
  image: ResolvedImage,
): Promise<string[]> {
  const found = new Map([[image.digest, image.mediaType]]);
  let bytes = 0;
  // What is added while it is gone through is gone through too.
  for (const [digest, mediaType] of found) {
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
    for (const child of document.manifests) found.set(child.digest, child.mediaType);
    if (found.size > MOST_REJECTED_DIGESTS) {
      throw new RegistryError('registry.too_large', `the image has more than ${MOST_REJECTED_DIGESTS} manifests`);
    }
  }
  found.delete(image.digest);
  return [...found.keys()];
}
