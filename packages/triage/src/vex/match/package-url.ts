/** A package URL taken apart for comparing: its type, namespace and name in one text, and everything that narrows it. */
export type PackageUrl = {
  /** Type, namespace and name, normalised and decoded, with NUL between. */
  readonly base: string;
  /** By key: the qualifiers, the version under `@`, the subpath under `#`; sorted by key, decoded. */
  readonly parts: ReadonlyMap<string, string>;
  /** The keys of the parts, and their values, each in one text: what is looked up by them has the same. */
  readonly keys: string;
  readonly values: string;
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
  if (text.length > LONGEST || text.slice(0, 4).toLowerCase() !== 'pkg:' || CONTROL.test(text)) return undefined;
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
  if (parts.length > 1) parts.sort(([one], [other]) => (one < other ? -1 : 1));
  const namespace = names.join('/');
  const url = packageUrl(
    [
      type,
      LOWER_NAMESPACE.has(type) ? namespace.toLowerCase() : namespace,
      LOWER_NAME.has(type) ? nameOf(type, name) : name,
    ],
    parts,
  );
  // What was escaped is looked at once it is not.
  return text.includes('%') && CONTROL.test(`${names.join('')}${name}${parts.join('')}`) ? undefined : url;
}

/** Put together from its base and its parts, which are sorted by key. */
export function packageUrl(
  base: readonly string[],
  parts: ReadonlyArray<readonly [key: string, value: string]>,
): PackageUrl {
  const [only] = parts;
  const isOne = parts.length === 1 && only !== undefined;
  return {
    base: base.join('\0'),
    parts: new Map(parts),
    keys: isOne ? only[0] : parts.map(([key]) => key).join('&'),
    values: isOne ? only[1] : parts.map(([, value]) => value).join('\0'),
  };
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
