import { parsePackageUrl, splitPackageUrl } from '@colophon/notation';

/** True for what claims to be a package URL. */
export function isPurl(text: string | undefined): text is string {
  return text !== undefined && /^pkg:/i.test(text);
}

/**
 * A package URL that is limited to a `vers:` range, in the qualifier that its standard has for one; a text that is none
 * as it is.
 */
export function withRange(purl: string, range: string): string {
  const parts = splitPackageUrl(purl);
  if (parts === undefined) return purl;
  const { start, qualifiers = '', subpath } = parts;
  const others = qualifiers.split('&').filter((one) => one !== '');
  return `${start}?${[...others, `vers=${encodeURIComponent(range)}`].sort().join('&')}${mark('#', subpath)}`;
}

/** The name of the package alone, for people; undefined where there is none. */
export function nameInPurl(purl: string): string | undefined {
  return parsePackageUrl(purl)?.name;
}

/** The version, decoded; undefined where there is none. */
export function versionInPurl(purl: string): string | undefined {
  return parsePackageUrl(purl)?.version;
}

function mark(sign: string, part: string | undefined): string {
  return part === undefined ? '' : `${sign}${part}`;
}
