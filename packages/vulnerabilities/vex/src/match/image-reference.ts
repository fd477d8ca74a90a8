import { parseImageReference } from '@colophon/notation';

/** What begins so is named in another way. */
const OTHER_NAMES = /^(?:pkg|cpe|urn|https?|sha\d+):/;

/**
 * The package URL of an image that is named as it is pulled, `registry.example.com/shop:1.0@sha256:…`: scanners call it
 * that in what they say of it, and so do the statements of vendors. Undefined for a name without a tag or digest, which
 * could be anything, and for everything that is named otherwise.
 */
export function purlOfImage(reference: string): string | undefined {
  const image = OTHER_NAMES.test(reference) ? undefined : parseImageReference(reference);
  if (image === undefined || (image.tag === undefined && image.digest === undefined)) return undefined;
  const { host, repository, tag, digest } = image;
  const name = repository.slice(repository.lastIndexOf('/') + 1);
  const version = digest === undefined ? '' : `@${encodeURIComponent(digest)}`;
  const place = encodeURIComponent(`${host.toLowerCase()}/${repository}`);
  return `pkg:oci/${name}${version}?repository_url=${place}${tag === undefined ? '' : `&tag=${tag}`}`;
}
