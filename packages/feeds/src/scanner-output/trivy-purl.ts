import { componentPurl, type PurlType } from './component-purl.ts';

/** The operating system of what trivy looked at. */
export type TrivySystem = { readonly family?: string | undefined; readonly release?: string | undefined };

/** Trivy's names of languages' packages, by what reads them. */
const LANGUAGES: ReadonlyMap<unknown, PurlType> = new Map<unknown, PurlType>([
  ...names('npm', 'npm', 'yarn', 'pnpm', 'bun', 'node-pkg', 'javascript'),
  ...names('pypi', 'pip', 'pipenv', 'poetry', 'uv', 'pylock', 'python-pkg'),
  ...names('golang', 'gomod', 'gobinary'),
  ...names('cargo', 'cargo', 'rustbinary'),
  ...names('maven', 'jar', 'pom', 'gradle', 'gradle-lockfile', 'sbt', 'sbt-lockfile'),
  ...names('composer', 'composer', 'composer-vendor'),
  ...names('gem', 'bundler', 'gemspec'),
  ...names('nuget', 'nuget', 'nuget-config', 'dotnet-core', 'packages-props'),
  ...names('hex', 'hex', 'mix-lock'),
  ...names('pub', 'pub', 'pubspec-lock'),
  ...names('conda', 'conda-pkg', 'conda-environment'),
  ...names('swift', 'swift'),
  ...names('cocoapods', 'cocoapods'),
  ...names('conan', 'conan', 'conan-lock'),
  ...names('julia', 'julia'),
  ...names('bitnami', 'bitnami'),
]);

/** Distributions by the format of their packages; trivy calls a result of theirs by the distribution's name. */
const DISTRIBUTIONS: ReadonlyMap<unknown, PurlType> = new Map<unknown, PurlType>([
  ...names('deb', 'debian', 'ubuntu'),
  ...names('apk', 'alpine', 'wolfi', 'chainguard'),
  ...names('rpm', 'redhat', 'centos', 'rocky', 'alma', 'fedora', 'amazon', 'oracle', 'photon'),
]);

const EPOCH = /^(\d+):/;

/** A purl for an entry that has none: older versions of trivy name package, version and what they read. */
export function trivyPurl(
  type: unknown,
  name: string | undefined,
  version: string | undefined,
  { family, release }: TrivySystem,
): string | undefined {
  if (name === undefined) return undefined;
  const language = LANGUAGES.get(type);
  if (language !== undefined) return componentPurl(language, name, version);
  const format = DISTRIBUTIONS.get(type);
  if (format === undefined) return undefined;
  const namespace = type as string;
  const distro = release === undefined || family !== namespace ? undefined : `${namespace}-${release}`;
  // An RPM's epoch is no part of its version in a purl.
  const epoch = format === 'rpm' ? version?.match(EPOCH)?.[1] : undefined;
  const qualifiers = { ...(distro !== undefined && { distro }), ...(epoch !== undefined && { epoch }) };
  return componentPurl(format, name, epoch === undefined ? version : version?.replace(EPOCH, ''), {
    namespace,
    ...(Object.keys(qualifiers).length > 0 && { qualifiers }),
  });
}

function names(type: PurlType, ...words: string[]): Array<[string, PurlType]> {
  return words.map((word) => [word, type]);
}
