import type { ImagePlace } from '../image-places/image-places.ts';
import { pinnedImage } from './pinned-image.ts';

/** One operation of a JSON Patch. @see RFC 6902 */
export type PatchOperation = {
  readonly op: 'test' | 'replace';
  /** JSON Pointer (RFC 6901). */
  readonly path: string;
  readonly value: string;
};

/** A place, and the digest by which its image was judged. */
export type ImagePin = { readonly place: Pick<ImagePlace, 'pointer' | 'image'>; readonly digest: string };

/**
 * The JSON Patch that pins images: for each that has no digest, a test that it is still the image that was judged, and
 * its replacement. Where the test fails, the API server refuses the whole request.
 * @throws TypeError for a place without an image, and as pinnedImage does
 */
export function imagePatch(pins: readonly ImagePin[]): readonly PatchOperation[] {
  return pins.flatMap(({ place: { pointer: path, image }, digest }): readonly PatchOperation[] => {
    if (image === undefined) throw new TypeError(`no image stands at ${path}`);
    const pinned = pinnedImage(image, digest);
    if (pinned === image) return [];
    return [
      { op: 'test', path, value: image },
      { op: 'replace', path, value: pinned },
    ];
  });
}
