import { PackageURL } from 'packageurl-js';

/** A purl, or undefined for a name that cannot be one. */
export function packagePurl(
  type: 'npm' | 'cargo' | 'pypi' | 'golang' | 'generic',
  group: string | undefined,
  name: string,
  version: string | undefined,
  qualifiers?: Readonly<Record<string, string>>,
): string | undefined {
  // The library throws on a module of one segment, which Go has.
  if (type === 'golang' && group === undefined) {
    const at = version === undefined ? '' : `@${encodeURIComponent(version)}`;
    return `pkg:golang/${encodeURIComponent(name)}${at}`;
  }
  try {
    return new PackageURL(type, group, name, version, qualifiers, undefined).toString();
  } catch {
    return undefined;
  }
}
