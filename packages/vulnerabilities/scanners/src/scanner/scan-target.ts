import { fullImageName, GeneratorError } from '@colophon/generators';

/** What a scanner looks at. */
export type ScanTarget =
  /** The bytes and not the file: what is scanned is what was hashed, whatever happens to the file meanwhile. */
  | { readonly kind: 'sbom'; readonly bytes: Uint8Array }
  /** By its name at a registry, e.g. `alpine:3.19`. */
  | { readonly kind: 'image'; readonly reference: string };

/**
 * The full name of an image. Scanners take more than that, and would look into a folder or take a flag.
 * @throws GeneratorError `feeds.target_unknown`
 */
export function imageOf(reference: string): string {
  const image = fullImageName(reference);
  if (image !== undefined) return image;
  throw new GeneratorError('feeds.target_unknown', `${reference} is no name of an image`, {
    checked: reference,
    expected:
      'a name such as registry.example.com/shop:1.0, with or without a digest; of a folder or an archive an SBOM is made first',
    next: 'colophon sbom create FOLDER',
  });
}
