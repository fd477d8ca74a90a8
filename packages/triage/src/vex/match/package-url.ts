/** A package URL taken apart for comparing: its type, namespace and name in one text, and everything that narrows it. */
export type PackageUrl = {
  /** Type, namespace and name, normalised and decoded, with NUL between. */
  readonly base: string;
  /** By key: the qualifiers, the version under `@`, the subpath under `#`; sorted by key, decoded. */
  readonly parts: ReadonlyMap<string, string>;
};

/** Longer than any real one; what is longer is not looked into. */
const LONGEST = 8_192;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a decoded part with one could pass for two parts
const CONTROL = /[\u0000-\u001f]/;
const TYPE = /^[a-z.+-][a-z0-9.+-]*$/;
const KEY = /^[a-z._-][a-z0-9._-]*$/;

/** Types whose namespaces and names know no case, as the package URL's own list of types says. */
const LOWER_NAMESPACE = new Set('alpm apk bitbucket brew composer deb github golang qpkg rpm'.split(' '));
const LOWER_NAME = new Set('alpm apk bitbucket bitnami brew composer deb github golang pypi'.split(' '));

/**
 * Reads a package URL as scanners do: also one with `@scope` unescaped, with upper case where its type knows none, or
 * with escapes that need not be there.
 * @returns undefined for a text that is none
 * @see https://github.com/package-url/purl-spec (ECMA-427)
 */
export function parsePackageUrl(text: string): PackageUrl | undefined {
  if (text.length > LONGEST || text.slice(0, 4).toLowerCase() !== 'pkg:') return undefined;
  const [withoutSubpath, subpath] = cut(text.slice(4), '#');
  const [path, query] = cut(withoutSubpath, '?');
  const [rawType, rest] = cut(path.replace(/^\/+/, ''), '/');
  const type = rawType.toLowerCase();
  if (rest === undefined || !TYPE.test(type)) return undefined;
  const at = rest.lastIndexOf('@');
  // At the beginning it is the scope of a package that has no version.
  const names = decodedSegments(at > 0 ? rest.slice(0, at) : rest);
  const version = decoded(at > 0 ? rest.slice(at + 1) : '');
  const parts = qualifiersOf(query);
  const within = subpath === undefined ? '' : decodedSegments(subpath)?.join('/');
  const name = names?.pop();
  if (names === undefined || name === undefined || version === undefined) return undefined;
  if (parts === undefined || within === undefined) return undefined;
  if (version !== '') parts.push(['@', type === 'huggingface' ? version.toLowerCase() : version]);
  if (within !== '') parts.push(['#', within]);
  parts.sort(([a], [b]) => (a < b ? -1 : 1));
  const namespace = names.join('/');
  const named = [
    type,
    LOWER_NAMESPACE.has(type) ? namespace.toLowerCase() : namespace,
    LOWER_NAME.has(type) ? nameOf(type, name) : name,
  ];
  if ([...named, ...parts.map(([, value]) => value)].some((part) => CONTROL.test(part))) return undefined;
  return { base: named.join('\0'), parts: new Map(parts) };
}

/** Whether a purl that may leave things open speaks of another one: everything that it says is so there too. */
export function covers(general: PackageUrl, specific: PackageUrl): boolean {
  if (general.base !== specific.base) return false;
  for (const [key, value] of general.parts) if (specific.parts.get(key) !== value) return false;
  return true;
}

function nameOf(type: string, name: string): string {
  return type === 'pypi' ? name.toLowerCase().replaceAll('_', '-') : name.toLowerCase();
}

/** The text before and after the first mark. */
function cut(text: string, mark: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The segments that hold something, or undefined where there is an escape that is none, or no name. */
function decodedSegments(text: string): string[] | undefined {
  const segments: string[] = [];
  for (const segment of text.split('/')) {
    const plain = decoded(segment);
    if (plain === undefined) return undefined;
    if (plain !== '') segments.push(plain);
  }
  return segments;
}

function qualifiersOf(query: string | undefined): Array<[key: string, value: string]> | undefined {
  const found = new Map<string, string>();
  for (const pair of query === undefined || query === '' ? [] : query.split('&')) {
    const [rawKey, rawValue = ''] = cut(pair, '=');
    const key = rawKey.toLowerCase();
    const value = decoded(rawValue);
    if (value === undefined || !KEY.test(key) || found.has(key)) return undefined;
    // An empty one is as good as none.
    if (value !== '') found.set(key, value);
  }
  return [...found];
}

function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
