import { componentPurl, type PurlType } from './component-purl.ts';

/** What Snyk calls a package manager, or a language in an id of its own. */
const MANAGERS: ReadonlyMap<string, PurlType> = new Map<string, PurlType>([
  ...names('npm', 'npm', 'yarn', 'yarn-workspace', 'pnpm', 'js'),
  ...names('maven', 'maven', 'gradle', 'sbt', 'java'),
  ...names('pypi', 'pip', 'pipenv', 'poetry', 'setup.py', 'python'),
  ...names('golang', 'gomodules', 'golangdep', 'govendor', 'golang'),
  ...names('gem', 'rubygems', 'ruby'),
  ...names('nuget', 'nuget', 'paket', 'dotnet'),
  ...names('composer', 'composer', 'php'),
  ...names('cocoapods', 'cocoapods'),
  ...names('hex', 'hex'),
  ...names('pub', 'pub'),
  ...names('swift', 'swift'),
  ...names('cargo', 'cargo', 'rust'),
]);

/** Distributions, as `debian:12` has one before its colon. */
const DISTRIBUTIONS: ReadonlyMap<string, readonly [PurlType, string]> = new Map<string, readonly [PurlType, string]>([
  ['debian', ['deb', 'debian']],
  ['ubuntu', ['deb', 'ubuntu']],
  ['alpine', ['apk', 'alpine']],
  ['wolfi', ['apk', 'wolfi']],
  ['chainguard', ['apk', 'chainguard']],
  ['rhel', ['rpm', 'redhat']],
  ['centos', ['rpm', 'centos']],
  ['fedora', ['rpm', 'fedora']],
  ['rocky', ['rpm', 'rocky']],
  ['almalinux', ['rpm', 'almalinux']],
  ['oracle', ['rpm', 'oracle']],
  ['ol', ['rpm', 'oracle']],
  ['amzn', ['rpm', 'amazon']],
  ['sles', ['rpm', 'suse']],
  ['opensuse', ['rpm', 'opensuse']],
]);

/** A purl of a package that Snyk names with its manager; undefined where that has none. */
export function snykPurl(
  manager: string | undefined,
  name: string | undefined,
  version: string | undefined,
): string | undefined {
  if (manager === undefined || name === undefined) return undefined;
  const [word, release] = manager.toLowerCase().split(':', 2) as [string, string?];
  const type = MANAGERS.get(word);
  if (type !== undefined) return componentPurl(type, name, version);
  const system = DISTRIBUTIONS.get(word);
  if (system === undefined) return undefined;
  const [format, namespace] = system;
  // Of `glibc/libc6` the second is the package that is installed, the first the source that it is built from.
  const binary = name.slice(name.lastIndexOf('/') + 1);
  const qualifiers = release === undefined ? undefined : { distro: `${word}-${release}` };
  return componentPurl(format, binary, version, { namespace, qualifiers });
}

/** The manager in an id such as `SNYK-JS-LODASH-450202`, `SNYK-DEBIAN12-CURL-1` or `npm:qs:20140806`. */
export function managerOfSnykId(id: string | undefined): string | undefined {
  const [, word, older] = /^(?:SNYK-([A-Z]+)\d*-|([a-z]+):[^:]+:\d{8})/i.exec(id ?? '') ?? [];
  return word ?? older;
}

function names(type: PurlType, ...words: string[]): Array<[string, PurlType]> {
  return words.map((word) => [word, type]);
}
