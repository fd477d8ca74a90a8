import { shownAddress } from '@colophon/peer';
import { DEFAULT_REGISTRIES } from './default-registries.ts';
import { checkIntegrity, parseChecksums } from './integrity.ts';
import type { PackageReference } from './package-reference.ts';
import { readTarGz } from './read-archive.ts';
import { assertMeantRegistry, type FoundSource, pathOf, registryAt, type SourceContext } from './source-context.ts';

/**
 * A public repository at a tag or commit. The archive is made anew for each request and no hash of it is published: only
 * a checksum in the package URL is compared with it.
 */
export async function fetchGithubSource(
  reference: PackageReference,
  { downloader, limits, registries }: SourceContext,
): Promise<FoundSource | undefined> {
  const { purl, namespace, name, version, checksum } = reference;
  const registry = registryAt(registries.github ?? DEFAULT_REGISTRIES.github);
  assertMeantRegistry(reference, registry);
  const url = new URL(`${pathOf(namespace, name)}/tar.gz/${pathOf(...version.split('/'))}`, registry.base);
  const archive = await downloader.get(url, {
    maxBytes: limits.maxDownloadBytes,
    registry,
  });
  if (archive === undefined) return undefined;
  const integrity = checkIntegrity(archive, parseChecksums(checksum), purl);
  return {
    tree: await readTarGz(archive, { checked: purl, limits, root: 'any' }),
    integrity,
    origin: shownAddress(url),
  };
}
