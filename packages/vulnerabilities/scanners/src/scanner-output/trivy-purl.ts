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
  ...names('deb', 'debian', 'ubuntu', 'echo'),
  ...names('apk', 'alpine', 'wolfi', 'chainguard', 'minimos'),
  ...names('rpm', 'redhat', 'centos', 'rocky', 'alma', 'fedora', 'amazon', 'oracle', 'photon', 'opensuse', 'suse'),
  ...names('rpm', 'azurelinux', 'cbl-mariner'),
]);

/** Trivy's name of a distribution in a package URL. */
function namespaceOf(type: string): string {
  if (/^opensuse[.-]/.test(type)) return 'opensuse';
  return /^(?:sles|slem|suse linux .+)$/.test(type) ? 'suse' : type;
}

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
  const namespace = namespaceOf(String(type));
  const format = DISTRIBUTIONS.get(namespace);
  if (format === undefined) return undefined;
  const distro = release === undefined || family !== type ? undefined : `${family}-${release}`;
  return componentPurl(format, name, version, {
    namespace,
    ...(distro !== undefined && { qualifiers: { distro } }),
  });
}

function names(type: PurlType, ...words: string[]): Array<[string, PurlType]> {
  return words.map((word) => [word, type]);
}
