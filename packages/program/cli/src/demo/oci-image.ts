import { digestOf, type ImageRepository, type RegistryClient, type ResolvedImage } from '@colophon/sigstore';
import { createTar } from './tar.ts';

/** Everything that an image of one layer is made of, as bytes; the same files give the same digest. */
export type OciImage = {
  readonly layer: Uint8Array;
  readonly config: Uint8Array;
  readonly manifest: Uint8Array;
  /** Of the manifest: what is signed. */
  readonly digest: string;
};

const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

/**
 * Builds an image without docker: the files in one layer, by their path in it.
 * @param labels e.g. `org.opencontainers.image.revision`
 * @throws TypeError for a path that no layer can have
 */
export function buildImage({
  files,
  labels = {},
}: {
  files: Readonly<Record<string, Uint8Array>>;
  labels?: Readonly<Record<string, string>>;
}): OciImage {
  const layer = createTar(files);
  const config = encode({
    created: '1970-01-01T00:00:00Z',
    architecture: 'amd64',
    os: 'linux',
    config: { Labels: labels },
    // The layer is not compressed, so its digest is that of its content too.
    rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    history: [{ created: '1970-01-01T00:00:00Z', created_by: 'colophon demo' }],
  });
  const manifest = encode({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf(config), size: config.length },
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: digestOf(layer), size: layer.length }],
    ...(Object.keys(labels).length === 0 ? {} : { annotations: labels }),
  });
  return { layer, config, manifest, digest: digestOf(manifest) };
}

/**
 * Pushes the image under a tag.
 * @returns the image by its digest
 * @throws RegistryError
 */
export async function pushImage(
  client: RegistryClient,
  { registry, repository }: ImageRepository,
  tag: string,
  { layer, config, manifest }: OciImage,
): Promise<ResolvedImage> {
  const place = { registry, repository };
  await client.putBlob(place, layer);
  await client.putBlob(place, config);
  const { digest } = await client.putManifest(place, tag, { bytes: manifest, mediaType: MANIFEST_TYPE });
  return { ...place, digest, mediaType: MANIFEST_TYPE, size: manifest.length };
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
