import { shownAddress } from '@colophon/peer';
import { DEFAULT_REGISTRIES } from './default-registries.ts';
import { type Announced, checkIntegrity, parseChecksums } from './integrity.ts';
import type { PackageReference } from './package-reference.ts';
import { type Coordinates, pomLicence, pomParent } from './pom.ts';
import { readZip } from './read-archive.ts';
import {
  assertMeantRegistry,
  type FoundSource,
  pathOf,
  type Registry,
  registryAt,
  type SourceContext,
} from './source-context.ts';

/** Names under which purls mean Maven Central. */
const CENTRAL = /^(?:https?:\/\/)?(?:repo1\.maven\.org|repo\.maven\.apache\.org)\/maven2\/?$/;
const CHECKSUM_FILES = ['sha512', 'sha256', 'sha1'] as const;
const MAX_CHECKSUM_BYTES = 1024;
const MAX_POM_BYTES = 2 * 1024 * 1024;
const MAX_PARENTS = 5;

/**
 * The sources jar of a Maven artifact, checked against the checksum beside it; the licence is the POM's or a parent's.
 * @see https://maven.apache.org/repositories/layout.html
 */
export async function fetchMavenSource(
  reference: PackageReference,
  context: SourceContext,
): Promise<FoundSource | undefined> {
  const { purl, namespace: group, name: artifact, version, checksum, repositoryUrl } = reference;
  const { downloader, limits, registries } = context;
  const registry = registryAt(registries.maven ?? DEFAULT_REGISTRIES.maven);
  const isCentral = CENTRAL.test(registry.base.href) && CENTRAL.test(repositoryUrl ?? '');
  if (!isCentral) assertMeantRegistry(reference, registry);
  const request = { maxBytes: limits.maxDownloadBytes, registry };
  const url = fileOf({ group, artifact, version }, '-sources.jar', registry);
  const archive = await downloader.get(url, request);
  if (archive === undefined) return undefined;
  const integrity = checkIntegrity(archive, await announcedBeside(url, registry, context), purl);
  checkIntegrity(archive, parseChecksums(checksum), purl);
  const tree = await readZip(archive, { checked: purl, limits, root: 'none' });
  const licence = tree.licence ?? (await licenceOf({ group, artifact, version }, registry, context));
  return { tree: licence === undefined ? tree : { ...tree, licence }, integrity, origin: shownAddress(url) };
}

function fileOf({ group, artifact, version }: Coordinates, ending: string, { base }: Registry): URL {
  return new URL(pathOf(...group.split('.'), artifact, version, `${artifact}-${version}${ending}`), base);
}

/** The strongest checksum that the repository keeps beside a file; on Maven Central that is mostly SHA-1. */
async function announcedBeside(url: URL, registry: Registry, { downloader }: SourceContext): Promise<Announced[]> {
  for (const algorithm of CHECKSUM_FILES) {
    const bytes = await downloader.get(new URL(`${url.href}.${algorithm}`), {
      maxBytes: MAX_CHECKSUM_BYTES,
      registry,
    });
    const [value] = /^[0-9a-f]{40,128}\b/i.exec(new TextDecoder().decode(bytes).trim()) ?? [];
    if (value !== undefined) return [{ algorithm, value, encoding: 'hex' }];
  }
  return [];
}

async function licenceOf(
  coordinates: Coordinates,
  registry: Registry,
  { downloader }: SourceContext,
): Promise<string | undefined> {
  let next: Coordinates | undefined = coordinates;
  for (let hops = 0; next !== undefined && hops <= MAX_PARENTS; hops++) {
    const bytes = await downloader.get(fileOf(next, '.pom', registry), {
      maxBytes: MAX_POM_BYTES,
      registry,
    });
    if (bytes === undefined) return undefined;
    const pom = new TextDecoder().decode(bytes);
    const licence = pomLicence(pom);
    if (licence !== undefined) return licence;
    next = pomParent(pom);
  }
  return undefined;
}
