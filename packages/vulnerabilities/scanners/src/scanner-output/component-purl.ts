import { parsePackageUrl, splitEpoch } from '@colophon/notation';
import { PackageURL } from 'packageurl-js';

/** Kinds of package that a scanner's own words can be turned into. */
export type PurlType =
  | 'apk'
  | 'bitnami'
  | 'cargo'
  | 'cocoapods'
  | 'composer'
  | 'conan'
  | 'conda'
  | 'cran'
  | 'deb'
  | 'gem'
  | 'github'
  | 'golang'
  | 'hackage'
  | 'hex'
  | 'julia'
  | 'maven'
  | 'npm'
  | 'nuget'
  | 'pub'
  | 'pypi'
  | 'rpm'
  | 'swift';

/** What a system's package needs beside its name. */
export type PurlExtra = {
  /** The distribution, e.g. `debian`. */
  readonly namespace?: string | undefined;
  readonly qualifiers?: Readonly<Record<string, string>> | undefined;
};

// Modules of Go itself carry no v before their version, in purls of the scanners.
const GO_ITSELF = new Set(['stdlib', 'toolchain']);
const BARE_VERSION = /^\d+\.\d+\.\d+/;
const V_VERSION = /^v(?=\d)/;
/**
 * A package URL of what a scanner says, or undefined where that makes none. A name is split where its kind has a
 * group: `group:artifact` for Maven, at the last slash for the others. A Go module's version gets the `v` that it has; an
 * RPM's epoch is no part of its version in a package URL.
 */
export function componentPurl(
  type: PurlType,
  name: string,
  version: string | undefined,
  extra: PurlExtra = {},
): string | undefined {
  const cut = type === 'maven' ? name.indexOf(':') : name.lastIndexOf('/');
  const splits = extra.namespace === undefined && cut > 0 && type !== 'cocoapods';
  const namespace = splits ? name.slice(0, cut) : extra.namespace;
  const bare = splits ? name.slice(cut + 1) : name;
  if (type === 'golang') return goPurl(namespace, bare, version);
  const stated = type === 'rpm' ? splitEpoch(version ?? '') : undefined;
  const number = stated?.rest || version;
  const qualifiers = stated?.rest ? { ...extra.qualifiers, epoch: stated.epoch } : extra.qualifiers;
  try {
    return new PackageURL(type, namespace, bare, number, qualifiers, undefined).toString();
  } catch {
    // A name that this kind cannot have. The finding keeps its name and has no purl.
    return undefined;
  }
}

/** Built by hand: packageurl-js fails on modules of one segment and on versions that it has its own mind about. */
function goPurl(namespace: string | undefined, name: string, version: string | undefined): string {
  const path = [...(namespace?.split('/') ?? []), name].map(encodeURIComponent).join('/').toLowerCase();
  const known = namespace === undefined && GO_ITSELF.has(name);
  const tag = known ? version?.replace(V_VERSION, '') : version?.replace(BARE_VERSION, (bare) => `v${bare}`);
  return `pkg:golang/${path}${tag === undefined || tag === '' ? '' : `@${encodeURIComponent(tag)}`}`;
}

/** Name and version that a package URL has, or undefined where it is none. */
export function readPurl(text: string): { readonly name: string; readonly version: string | undefined } | undefined {
  const purl = parsePackageUrl(text);
  if (purl === undefined) return undefined;
  const group = purl.namespace.join('/');
  const name = group === '' ? purl.name : `${group}${purl.type === 'maven' ? ':' : '/'}${purl.name}`;
  return { name, version: purl.version };
}
