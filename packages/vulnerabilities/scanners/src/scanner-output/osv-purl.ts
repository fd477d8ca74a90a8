import { componentPurl, type PurlType } from './component-purl.ts';

type Kind = readonly [type: PurlType, namespace?: string];

/** OSV's names of ecosystems; those of distributions have a release behind a colon. */
const ECOSYSTEMS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['npm', ['npm']],
  ['PyPI', ['pypi']],
  ['crates.io', ['cargo']],
  ['Go', ['golang']],
  ['Maven', ['maven']],
  ['RubyGems', ['gem']],
  ['NuGet', ['nuget']],
  ['Packagist', ['composer']],
  ['Hex', ['hex']],
  ['Pub', ['pub']],
  ['ConanCenter', ['conan']],
  ['CRAN', ['cran']],
  ['Hackage', ['hackage']],
  ['SwiftURL', ['swift']],
  ['GitHub Actions', ['github']],
  ['Bitnami', ['bitnami']],
  ['Debian', ['deb', 'debian']],
  ['Ubuntu', ['deb', 'ubuntu']],
  ['Alpine', ['apk', 'alpine']],
  ['Wolfi', ['apk', 'wolfi']],
  ['Chainguard', ['apk', 'chainguard']],
  ['Red Hat', ['rpm', 'redhat']],
  ['Rocky Linux', ['rpm', 'rocky-linux']],
  ['AlmaLinux', ['rpm', 'almalinux']],
  ['openSUSE', ['rpm', 'opensuse']],
  ['SUSE', ['rpm', 'suse']],
  ['Photon OS', ['rpm', 'photon']],
  ['Mageia', ['rpm', 'mageia']],
  ['openEuler', ['rpm', 'openeuler']],
  ['MinimOS', ['apk', 'minimos']],
  ['Echo', ['deb', 'echo']],
  ['Julia', ['julia']],
]);

/** A purl of a package in an OSV ecosystem such as `Go` or `Debian:12`; undefined for one without purls. */
export function osvPurl(
  ecosystem: string | undefined,
  name: string | undefined,
  version: string | undefined,
): string | undefined {
  const [system = '', ...suffixes] = ecosystem?.split(':') ?? [];
  const kind = ECOSYSTEMS.get(system);
  if (kind === undefined || name === undefined) return undefined;
  const [type, namespace] = kind;
  const release = isOfOtherProduct(system, suffixes[0]) ? undefined : suffixes.flatMap(releaseOf)[0];
  const qualifiers = namespace && release ? { distro: `${namespace}-${release}` } : undefined;
  return componentPurl(type, name, version, { namespace, qualifiers });
}

/** Of `Ubuntu:Pro:18.04:LTS` and `Alpine:v3.20`, whose other suffixes name a product or a stream. */
function releaseOf(suffix: string): string[] {
  const [, release] = /^v?(\d+(?:\.\d+)*)$/.exec(suffix) ?? [];
  return release === undefined ? [] : [release];
}

/** What Red Hat sells beside its distribution has numbers of its own: `Red Hat:openshift:4.15::el9`. */
function isOfOtherProduct(system: string, product = ''): boolean {
  return system === 'Red Hat' && !/^(?:enterprise_linux|rhel_)/.test(product);
}
