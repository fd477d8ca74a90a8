import { SourceError } from '../source-error/source-error.ts';
import { fetchCargoSource } from './cargo-source.ts';
import { Downloader, type DownloadOptions } from './downloader.ts';
import { fetchGithubSource } from './github-source.ts';
import { fetchGolangSource } from './golang-source.ts';
import type { Integrity } from './integrity.ts';
import { fetchMavenSource } from './maven-source.ts';
import { fetchNpmSource } from './npm-source.ts';
import { type PackageReference, parsePackageReference, type SourceType } from './package-reference.ts';
import { fetchPypiSource } from './pypi-source.ts';
import type { Environment, FoundSource, SourceContext } from './source-context.ts';
import { DEFAULT_SOURCE_LIMITS, type SourceLimits } from './source-limits.ts';
import type { SourceTree } from './source-tree.ts';

/** The source of one published package. */
export type SourcePackage = SourceTree & {
  /** As it was given. */
  readonly purl: string;
  /** With its scope, group or path. */
  readonly name: string;
  readonly version: string;
  /** What the bytes were checked against; `unchecked` where nobody announces a hash. */
  readonly integrity: Integrity;
  /** The address that it came from. */
  readonly origin: string;
};

export type SourcePackageOptions = DownloadOptions & {
  /** The environment: registries and proxies as the package managers' own variables name them, and the home folder. */
  readonly env: Environment;
  /** Folders whose `go.sum` may refuse a Go module; what stands in a folder never chooses a package or a registry. */
  readonly goSumFolders?: readonly string[] | undefined;
  /** Addresses instead of the configured ones, by kind of package. */
  readonly registries?: Readonly<Partial<Record<SourceType, string>>> | undefined;
  readonly limits?: Partial<SourceLimits> | undefined;
};

const FROM_REGISTRY: Record<SourceType, Find> = {
  npm: fetchNpmSource,
  pypi: fetchPypiSource,
  cargo: fetchCargoSource,
  golang: fetchGolangSource,
  maven: fetchMavenSource,
  github: fetchGithubSource,
};
type Find = (reference: PackageReference, context: SourceContext) => Promise<FoundSource | undefined>;

/**
 * The source of the package that a package URL names: its files of text, the licence that it states and its licence
 * texts. From the registry that the environment and the user's own configuration name, never from the folder that
 * somebody stands in; its bytes are checked against what the registry announces. Nothing is written to disk or run.
 *
 * ```ts
 * const source = await fetchSourcePackage('pkg:npm/left-pad@1.3.0', { env, signal });
 * ```
 * @throws SourceError `feeds.purl_invalid`, `feeds.purl_unsupported`, `feeds.package_not_found`,
 * `feeds.package_integrity`, `feeds.package_too_large`, `feeds.archive_refused`, `feeds.registry_unreachable`,
 * `feeds.registry_refused`, `feeds.registry_answer_invalid`, `feeds.registry_unclear`, `feeds.address_refused`
 */
export async function fetchSourcePackage(purl: string, options: SourcePackageOptions): Promise<SourcePackage> {
  const reference = parsePackageReference(purl);
  const context: SourceContext = {
    downloader: new Downloader(options),
    limits: { ...DEFAULT_SOURCE_LIMITS, ...options.limits },
    env: options.env,
    goSumFolders: options.goSumFolders ?? [],
    registries: options.registries ?? {},
  };
  const found = await FROM_REGISTRY[reference.type](reference, context);
  if (found === undefined) {
    throw new SourceError('feeds.package_not_found', 'the registry has no source of this package', { checked: purl });
  }
  const { namespace, name, version } = reference;
  const separator = reference.type === 'maven' ? ':' : '/';
  return {
    ...found.tree,
    purl,
    name: namespace === '' ? name : `${namespace}${separator}${name}`,
    version,
    integrity: found.integrity,
    origin: found.origin,
  };
}
