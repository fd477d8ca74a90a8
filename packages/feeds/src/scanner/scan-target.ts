import { FeedsError } from '../feeds-error/feeds-error.ts';
import { parseTarget } from '../generator/target.ts';

/** What a scanner looks at. */
export type ScanTarget =
  /** The bytes and not the file: what is scanned is what was hashed, whatever happens to the file meanwhile. */
  { readonly kind: 'sbom'; readonly bytes: Uint8Array } | { readonly kind: 'image'; readonly reference: string };

/**
 * What a person means: an SBOM in a file, else an image by name.
 * @throws FeedsError `feeds.target_unknown` for what is neither; of a folder or an image that lies on the disk an SBOM
 *   is made first
 */
export function parseScanTarget(
  text: string,
): { readonly kind: 'file'; readonly path: string } | { readonly kind: 'image'; readonly reference: string } {
  const target = parseTarget(text);
  if (target.kind === 'file' || target.kind === 'image') return target;
  throw new FeedsError('feeds.target_unknown', `${text} is neither an SBOM nor the name of an image`, {
    checked: text,
    expected: 'the file of an SBOM, or the name of an image',
    next: `make an SBOM of it first: colophon sbom create ${text}`,
  });
}
