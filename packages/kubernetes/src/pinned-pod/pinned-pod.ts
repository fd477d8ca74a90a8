import { parseImageReference } from '@colophon/notation';
import type { PatchStep } from '../admission-review/review-answer.ts';
import type { ImagePlace } from '../image-places/image-places.ts';

/** True where an image names its digest. */
export function isPinned(image: string): boolean {
  return parseImageReference(image)?.digest !== undefined;
}

/** An image by its digest, with the tag by which it was found; one that has a digest stays as it is. */
export function pinnedImage(image: string, digest: string): string {
  return isPinned(image) ? image : `${image}@${digest}`;
}

/**
 * The patch that pins images of a Pod: each is replaced only where it still is what was resolved.
 * @param digests of the images that have none, by the image's text
 */
export function pinPatch(images: readonly ImagePlace[], digests: ReadonlyMap<string, string>): PatchStep[] {
  return images.flatMap(({ pointer, image }): PatchStep[] => {
    const digest = digests.get(image);
    if (digest === undefined || isPinned(image)) return [];
    return [
      { op: 'test', path: pointer, value: image },
      { op: 'replace', path: pointer, value: pinnedImage(image, digest) },
    ];
  });
}
