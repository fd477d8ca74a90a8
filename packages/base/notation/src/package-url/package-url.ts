/** A package URL taken apart and decoded. An escape that is none stays as it is written. */
export type PackageUrl = {
  /** In lower case. */
  readonly type: string;
  /** Scope, group, owner or distribution, in its segments; empty where there is none. */
  readonly namespace: readonly string[];
  readonly name: string;
  readonly version?: string;
  /** In their order, keys in lower case; a key may stand there twice, a value may be empty. */
  readonly qualifiers: ReadonlyArray<readonly [key: string, value: string]>;
  readonly subpath: readonly string[];
};

/** The parts of a package URL as they are written, still encoded. */
export type PackageUrlText = {
  /** From `pkg:` up to the version. */
  readonly start: string;
  readonly type: string;
  /** Namespace and name. */
  readonly names: string;
  /** Empty where an @ is followed by nothing. */
  readonly version?: string;
  readonly qualifiers?: string;
  readonly subpath?: string;
};

const SCHEME = 'pkg:';
const LINE_END = /[\n\r]/;
const TYPE = /^[A-Za-z][A-Za-z0-9.+-]*$/;

/**
 * Reads a package URL as scanners write it: also with `@scope` unescaped, with capitals where its type knows none, with
 * escapes that need not be there. Whether the standard allows it is what {@link faultOfPackageUrl} says.
 * @returns undefined for a text that is none
 * @see https://github.com/package-url/purl-spec (ECMA-427)
 */
export function parsePackageUrl(text: string): PackageUrl | undefined {
  const parts = splitPackageUrl(text);
  if (parts === undefined || !TYPE.test(parts.type) || LINE_END.test(text)) return undefined;
  const namespace = segmentsOf(parts.names);
  const name = namespace.pop();
  if (name === undefined) return undefined;
  return {
    type: parts.type.toLowerCase(),
    namespace,
    name,
    ...(parts.version ? { version: decoded(parts.version) } : {}),
    qualifiers: parts.qualifiers ? parts.qualifiers.split('&').map(qualifierOf) : [],
    subpath: parts.subpath ? segmentsOf(parts.subpath) : [],
  };
}

/**
 * Cuts a package URL into its parts: at the first `#`, the first `?` before it, the first `/` after the type, and at the
 * last `@` unless that begins the names, as the one of an npm scope does.
 * @returns undefined for a text without `pkg:` or without a `/` after the type
 */
export function splitPackageUrl(text: string): PackageUrlText | undefined {
  if (text.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const [withoutSubpath, subpath] = cut(text, '#');
  const [path, qualifiers] = cut(withoutSubpath, '?');
  let from = SCHEME.length;
  while (path[from] === '/') from += 1;
  const slash = path.indexOf('/', from);
  if (slash < 0) return undefined;
  const at = path.lastIndexOf('@');
  // At the beginning of the names it is the scope of a package that has no version, which nobody escaped.
  const hasVersion = at > slash + 1;
  const end = hasVersion ? at : path.length;
  return {
    start: path.slice(0, end),
    type: path.slice(from, slash),
    names: path.slice(slash + 1, end),
    ...(hasVersion ? { version: path.slice(at + 1) } : {}),
    ...(qualifiers === undefined ? {} : { qualifiers }),
    ...(subpath === undefined ? {} : { subpath }),
  };
}

/** A package URL with another version, whatever a version may hold (`main/fix`); a text that is none as it is. */
export function withVersion(purl: string, version: string): string {
  const parts = splitPackageUrl(purl);
  if (parts === undefined) return purl;
  const { start, qualifiers, subpath } = parts;
  return `${start}@${encodeURIComponent(version).replaceAll('%3A', ':')}${mark('?', qualifiers)}${mark('#', subpath)}`;
}

/** The text without its escapes; one that holds an escape that is none, or bytes that are no UTF-8, as it is. */
export function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The decoded segments that hold something. */
function segmentsOf(text: string): string[] {
  const segments: string[] = [];
  for (const segment of text.split('/')) if (segment !== '') segments.push(decoded(segment));
  return segments;
}

function qualifierOf(pair: string): readonly [key: string, value: string] {
  const [key, value = ''] = cut(pair, '=');
  return [key.toLowerCase(), decoded(value)];
}

function mark(sign: string, part: string | undefined): string {
  return part === undefined ? '' : `${sign}${part}`;
}

/** The text before and after the first mark. */
function cut(text: string, mark: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
