import { isSha256, parseImageReference } from '@colophon/notation';

/** True where a reference names its digest; false also for what is no image reference. */
export function isPinned(image: string): boolean {
  return parseImageReference(image)?.digest !== undefined;
}

/**
 * An image's reference with the digest that its tag had when it was judged; nothing else of the text changes. A reference
 * that has a digest stays as it is.
 * @param digest `sha256:<64 hex>`
 * @throws TypeError for what is no image reference, and for another digest than SHA-256
 */
export function pinnedImage(image: string, digest: string): string {
  const reference = parseImageReference(image);
  if (reference === undefined) throw new TypeError('an image that was judged has a reference');
  if (!isSha256(digest)) throw new TypeError('an image is pinned by sha256: and 64 lower-case hex digits');
  return reference.digest === undefined ? `${image}@${digest}` : image;
}

/**
 * The reference of an image with a digest in place of its own, where it has one; nothing else of the text changes.
 * @throws TypeError as pinnedImage does
 */
export function imageOfDigest(image: string, digest: string): string {
  const own = parseImageReference(image)?.digest;
  return pinnedImage(own === undefined ? image : image.slice(0, -`@${own}`.length), digest);
}
