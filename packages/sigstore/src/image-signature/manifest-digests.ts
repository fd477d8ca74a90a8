import type { RegistryClient, ResolvedImage } from '../registry/registry-client.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { parseOciDocument } from './oci-manifest.ts';

/**
 * The digests of the manifests in an image index, such as one for each platform; none for an image that is no index.
 * @throws RegistryError
 */
export async function manifestDigests(client: RegistryClient, image: ResolvedImage): Promise<string[]> {
  if (!/\b(?:index|list)\b/.test(image.mediaType)) return [];
  const manifest = await client.getManifest(image, image.digest);
  const document = manifest === undefined ? undefined : parseOciDocument(manifest.bytes);
  if (document === undefined) throw new RegistryError('registry.answer_invalid', 'the image index cannot be read');
  return [...new Set(document.manifests.map(({ digest }) => digest))];
}
