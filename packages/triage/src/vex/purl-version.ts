/** A package URL in the parts that a version stands between. */
type Parts = { readonly name: string; readonly version: string | undefined; readonly rest: string };

/** True for what claims to be a package URL. */
export function isPurl(text: string | undefined): text is string {
  return text !== undefined && /^pkg:/i.test(text);
}

/** A package URL with another version. */
export function withVersion(purl: string, version: string): string {
  const { name, rest } = partsOf(purl);
  return `${name}@${encodeURIComponent(version).replaceAll('%3A', ':')}${rest}`;
}

/** A package URL that is limited to a `vers:` range, in the qualifier that its standard has for one. */
export function withRange(purl: string, range: string): string {
  const { name, rest } = partsOf(purl);
  const hash = rest.indexOf('#');
  const [qualifiers, subpath] = hash < 0 ? [rest, ''] : [rest.slice(0, hash), rest.slice(hash)];
  const others = qualifiers
    .slice(1)
    .split('&')
    .filter((one) => one !== '');
  return `${name}?${[...others, `vers=${encodeURIComponent(range)}`].sort().join('&')}${subpath}`;
}

function partsOf(purl: string): Parts {
  const end = purl.search(/[?#]/);
  const path = end < 0 ? purl : purl.slice(0, end);
  const rest = end < 0 ? '' : purl.slice(end);
  const at = path.lastIndexOf('@');
  // The @ of a namespace that somebody did not encode starts no version.
  if (at < 0 || path.indexOf('/', at) >= 0) return { name: path, version: undefined, rest };
  return { name: path.slice(0, at), version: path.slice(at + 1), rest };
}

/** The name of the package alone, for people; undefined where there is none. */
export function nameInPurl(purl: string): string | undefined {
  const name = partsOf(purl).name.split('/').at(-1);
  return name === undefined || name === '' || name.startsWith('pkg:') ? undefined : decoded(name);
}

/** The version, decoded; undefined where there is none. */
export function versionInPurl(purl: string): string | undefined {
  const { version } = partsOf(purl);
  return version === undefined || version === '' ? undefined : decoded(version);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
