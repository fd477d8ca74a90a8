import type { Subject } from '@colophon/records';
import { formatRepository, manifestDigests, type RegistryClient, type ResolvedImage } from '@colophon/sigstore';

/** An image in a registry. */
export type WordImage = { readonly client: RegistryClient; readonly image: ResolvedImage };

/**
 * What a person's word about an image is about: the image and every manifest in it, at any depth, so that none of them
 * passes without it.
 * @throws RegistryError
 */
export async function imageSubjects({ client, image }: WordImage): Promise<readonly Subject[]> {
  const name = formatRepository(image);
  const digests = [image.digest, ...(await manifestDigests(client, image))];
  return digests.map((digest) => ({ name, digest: { sha256: digest.slice('sha256:'.length) } }));
}
