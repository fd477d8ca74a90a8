import { type PackageUrl, packageName, parsePackageUrl, splitEpoch, versionKey } from '@colophon/notation';

/** A package URL taken apart for comparing: its type, namespace and name in one text, and everything that narrows it. */
export type MatchablePurl = {
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
const KEY = /^[a-z._-][a-z0-9._-]*$/;

/**
 * Reads a package URL for comparing: also one with `@scope` unescaped, with upper case where its type knows none, or
 * with escapes that need not be there.
 * @returns undefined for a text that is none, or of which two readers might make two things: a qualifier given twice,
 * an escape that is none, a control character
 */
export function matchablePurl(text: string): MatchablePurl | undefined {
  if (text.length > LONGEST || CONTROL.test(text)) return undefined;
  const purl = parsePackageUrl(text);
  if (purl === undefined || (text.includes('%') && !isDecodable(text))) return undefined;
  const { type, version, subpath } = purl;
  const stated = qualifiersOf(purl);
  if (stated === undefined) return undefined;
  const [epoch, parts] = withoutEpoch(type, version, stated);
  if (version !== undefined) parts.push(['@', versionOf(type, `${epoch}${version}`)]);
  if (subpath.length > 0) parts.push(['#', subpath.join('/')]);
  if (parts.length > 1) parts.sort(([one], [other]) => (one < other ? -1 : 1));
  const path = purl.namespace.join('/');
  // What was escaped is looked at once it is not.
  if (text.includes('%') && CONTROL.test(`${path}${purl.name}${stated.join('')}${version ?? ''}${subpath.join('')}`)) {
    return undefined;
  }
  const { namespace, name } = packageName(purl);
  return purlOfParts([type, namespace.join('/'), name], parts);
}

/** Every spelling of a version as one text: what merging findings takes for one component, a statement does too. */
function versionOf(type: string, version: string): string {
  return type === 'huggingface' ? version.toLowerCase() : versionKey(type, version);
}

type Parts = Array<[key: string, value: string]>;

/** Debian and RPM have the epoch in the version or beside it. */
function withoutEpoch(type: string, version: string | undefined, parts: Parts): [epoch: string, parts: Parts] {
  if (version === undefined || (type !== 'deb' && type !== 'rpm')) return ['', parts];
  const beside = parts.find(([key]) => key === 'epoch')?.[1];
  const others = parts.filter(([key]) => key !== 'epoch');
  return [beside === undefined || splitEpoch(version) !== undefined ? '' : `${beside}:`, others];
}

/** Put together from its base and its parts, which are sorted by key. */
export function purlOfParts(
  base: readonly string[],
  parts: ReadonlyArray<readonly [key: string, value: string]>,
): MatchablePurl {
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
export function covers(general: MatchablePurl, specific: MatchablePurl): boolean {
  if (general.base !== specific.base) return false;
  for (const [key, value] of general.parts) if (specific.parts.get(key) !== value) return false;
  return true;
}

function qualifiersOf({ qualifiers }: PackageUrl): Array<[key: string, value: string]> | undefined {
  const found = new Map<string, string>();
  for (const [key, value] of qualifiers) {
    if (!KEY.test(key) || found.has(key)) return undefined;
    // An empty one is as good as none.
    if (value !== '') found.set(key, value);
  }
  return [...found];
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
