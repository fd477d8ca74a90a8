import { isJsonObject } from '@colophon/json';
import { jsonIn, shownAddress } from '@colophon/peer';
import { DEFAULT_REGISTRIES } from './default-registries.ts';
import { checkIntegrity, parseChecksums } from './integrity.ts';
import type { PackageReference } from './package-reference.ts';
import { readTarGz } from './read-archive.ts';
import { assertMeantRegistry, type FoundSource, registryAt, type SourceContext } from './source-context.ts';

/**
 * A crate from a sparse index, checked against the index's SHA-256.
 * @see https://doc.rust-lang.org/cargo/reference/registry-index.html
 */
export async function fetchCargoSource(
  reference: PackageReference,
  { downloader, limits, registries }: SourceContext,
): Promise<FoundSource | undefined> {
  const { purl, name, version, checksum } = reference;
  const registry = registryAt((registries.cargo ?? DEFAULT_REGISTRIES.cargo).replace(/^sparse\+/, ''));
  assertMeantRegistry(reference, registry);
  const request = { maxBytes: limits.maxDownloadBytes, registry };
  const index = await downloader.get(new URL(indexPath(name.toLowerCase()), registry.base), request);
  const cksum = index === undefined ? undefined : checksumIn(index, name, version);
  if (cksum === undefined) return undefined;
  const config = await downloader.getJson(new URL('config.json', registry.base), request);
  const url = downloadUrl(config?.['dl'], name, version, cksum);
  const archive = url === undefined ? undefined : await downloader.get(url, request);
  if (url === undefined || archive === undefined) return undefined;
  const integrity = checkIntegrity(archive, [{ algorithm: 'sha256', value: cksum, encoding: 'hex' }], purl);
  checkIntegrity(archive, parseChecksums(checksum), purl);
  return {
    tree: await readTarGz(archive, { checked: purl, limits, root: 'any' }),
    integrity,
    origin: shownAddress(url),
  };
}

/** `1/a`, `2/ab`, `3/a/abc`, `ab/cd/abcd…`. */
function indexPath(name: string): string {
  return `${indexPrefix(name)}/${name}`;
}

function indexPrefix(name: string): string {
  if (name.length <= 2) return String(name.length);
  return name.length === 3 ? `3/${name[0]}` : `${name.slice(0, 2)}/${name.slice(2, 4)}`;
}

/** One line of JSON a version. */
function checksumIn(index: Uint8Array, name: string, version: string): string | undefined {
  for (const line of new TextDecoder().decode(index).split('\n')) {
    const entry = jsonIn(new TextEncoder().encode(line));
    if (!isJsonObject(entry) || entry['vers'] !== version || entry['name'] !== name) continue;
    return typeof entry['cksum'] === 'string' ? entry['cksum'] : undefined;
  }
  return undefined;
}

function downloadUrl(template: unknown, name: string, version: string, cksum: string): URL | undefined {
  if (typeof template !== 'string') return undefined;
  const values: Record<string, string> = {
    crate: name,
    version,
    prefix: indexPrefix(name),
    lowerprefix: indexPrefix(name.toLowerCase()),
    'sha256-checksum': cksum,
  };
  const filled = template.replace(/\{([a-z0-9-]+)\}/g, (whole, marker: string) => values[marker] ?? whole);
  const address = filled === template ? `${template}/${name}/${version}/download` : filled;
  return URL.canParse(address) ? new URL(address) : undefined;
}
