import { isSha256Hex } from '@colophon/notation';

/** One line of SHA256SUMS. */
export type Checksum = { readonly name: string /** `sha256:<hex>` */; readonly digest: string };

export const CHECKSUMS = 'SHA256SUMS';
/** What the list cannot list: itself, and the signature over it. */
export const CHECKSUMS_SIGNATURE = `${CHECKSUMS}.sigstore.json`;

const LINE = /^([^ ]+) [ *]([A-Za-z0-9_+@][A-Za-z0-9._+@-]{0,250})$/;

/** The list as `sha256sum -c` reads it, sorted by name. */
export function formatChecksums(checksums: readonly Checksum[]): string {
  return checksums
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, digest }) => `${digest.slice('sha256:'.length)}  ${name}\n`)
    .join('');
}

/** Reads such a list; a line that is none, a name with a folder in it or a name twice makes it unreadable as a whole. */
export function parseChecksums(text: string): readonly Checksum[] | undefined {
  const lines = text.split('\n');
  if (lines.pop() !== '') return undefined;
  const checksums = lines.flatMap((line) => {
    const [, hex = '', name] = LINE.exec(line) ?? [];
    return name === undefined || !isSha256Hex(hex) ? [] : [{ name, digest: `sha256:${hex}` }];
  });
  const isWhole = checksums.length === lines.length;
  return isWhole && new Set(checksums.map(({ name }) => name)).size === lines.length ? checksums : undefined;
}
