import { isJsonObject } from '@colophon/json';
import { parseIntegrity } from '@colophon/notation';
import { shownAddress } from '@colophon/peer';

import { type Announced, checkIntegrity, parseChecksums } from './integrity.ts';
import { npmRegistry } from './npmrc.ts';
import type { PackageReference } from './package-reference.ts';
import { readTarGz } from './read-archive.ts';
import { assertMeantRegistry, type FoundSource, pathOf, type SourceContext } from './source-context.ts';

const PACKUMENT = 'application/vnd.npm.install-v1+json, application/json;q=0.8';

/**
 * A package from the npm registry, checked against `dist.integrity`.
 * @see https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
 */
export async function fetchNpmSource(
  reference: PackageReference,
  context: SourceContext,
): Promise<FoundSource | undefined> {
  const { purl, namespace, name, version, checksum } = reference;
  const { downloader, limits } = context;
  const registry = await npmRegistry(namespace, context);
  assertMeantRegistry(reference, registry);
  const packument = await downloader.getJson(
    new URL(pathOf(namespace === '' ? name : `${namespace}/${name}`), registry.base),
    { accept: PACKUMENT, maxBytes: limits.maxDownloadBytes, registry },
  );
  const versions = packument?.['versions'];
  const manifest = isJsonObject(versions) && Object.hasOwn(versions, version) ? versions[version] : undefined;
  const dist = isJsonObject(manifest) ? manifest['dist'] : undefined;
  if (!isJsonObject(dist) || typeof dist['tarball'] !== 'string' || !URL.canParse(dist['tarball'])) return undefined;
  const tarball = sameOrigin(new URL(dist['tarball']), registry.base);
  const archive = await downloader.get(tarball, { maxBytes: limits.maxDownloadBytes, registry });
  if (archive === undefined) return undefined;
  const integrity = checkIntegrity(archive, announcedBy(dist), purl);
  checkIntegrity(archive, parseChecksums(checksum), purl);
  return {
    tree: await readTarGz(archive, { checked: purl, limits, root: 'any' }),
    integrity,
    origin: shownAddress(tarball),
  };
}

function announcedBy({ integrity, shasum }: Record<string, unknown>): Announced[] {
  return [
    ...(typeof integrity === 'string'
      ? parseIntegrity(integrity).map((one) => ({ ...one, encoding: 'base64' as const }))
      : []),
    ...(typeof shasum === 'string' ? [{ algorithm: 'sha1', value: shasum, encoding: 'hex' } as const] : []),
  ];
}

/** Registries behind a proxy name their tarballs with http; npm asks over https where the registry is so. */
function sameOrigin(tarball: URL, base: URL): URL {
  if (tarball.protocol === 'http:' && base.protocol === 'https:' && tarball.hostname === base.hostname) {
    tarball.protocol = 'https:';
    tarball.port = base.port;
  }
  return tarball;
}
