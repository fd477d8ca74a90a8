import { createHash } from 'node:crypto';
import { SourceError } from '../source-error/source-error.ts';

/** What the bytes were checked against; `h1` is Go's hash over the files of a module. */
export type Integrity = 'sha512' | 'sha384' | 'sha256' | 'sha1' | 'h1' | 'unchecked';
type Algorithm = Exclude<Integrity, 'h1' | 'unchecked'>;

const STRONGEST_FIRST: readonly Algorithm[] = ['sha512', 'sha384', 'sha256', 'sha1'];

/** A hash that somebody announces; hex, or base64 as subresource integrity writes it. */
export type Announced = { readonly algorithm: string; readonly value: string; readonly encoding: 'hex' | 'base64' };

/**
 * Holds bytes against the strongest of the announced hashes that we know.
 * @throws SourceError `feeds.package_integrity`
 */
export function checkIntegrity(bytes: Uint8Array, announced: readonly Announced[], checked: string): Integrity {
  for (const algorithm of STRONGEST_FIRST) {
    const known = announced.filter((one) => one.algorithm === algorithm);
    if (known.length === 0) continue;
    const found = createHash(algorithm).update(bytes).digest();
    // Several hashes of one algorithm are alternatives, as subresource integrity defines it.
    // As npm does it, the texts are compared: what a decoder would leave out is part of what was announced.
    const isFound = ({ value, encoding }: Announced) =>
      (encoding === 'hex' ? value.toLowerCase() : value) === found.toString(encoding);
    if (known.some(isFound)) return algorithm;
    throw new SourceError('feeds.package_integrity', 'the package is not the one that was announced', {
      checked,
      expected: `${algorithm} ${known.map(({ value }) => value.slice(0, 200)).join(' or ')}`,
      found: `${algorithm} ${found.toString(known[0]!.encoding)}`,
    });
  }
  return 'unchecked';
}

/** The qualifier `checksum` of a package URL: `sha256:hex,sha1:hex`. */
export function parseChecksums(text: string | undefined): Announced[] {
  return [...(text ?? '').matchAll(/(?:^|,)([a-z0-9]+):([^,]+)/gi)].map(([, algorithm, value]) => ({
    algorithm: (algorithm as string).toLowerCase(),
    value: value as string,
    encoding: 'hex',
  }));
}
