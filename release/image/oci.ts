import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type TarEntry, writeTar } from './tar.ts';

const TYPE = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

/** @see OCI image specification, descriptor.md */
export type Descriptor = {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
};

/** A layer in the layout, and the digest of what it unpacks to. */
export type Layer = { readonly descriptor: Descriptor; readonly diffId: string };

/** An OCI image layout in a folder, made anew. @see OCI image specification, image-layout.md */
export class ImageLayout {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
    writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  }

  async addLayer(entries: readonly TarEntry[], mtime: Date): Promise<Layer> {
    const tar = join(this.folder, 'layer.tar');
    await writeTar(entries, mtime, createWriteStream(tar));
    const diffId = await digestOf(tar);
    // Its output is the same on every processor, which zlib's in Node.js is not promised to be.
    execFileSync('gzip', ['--no-name', '--force', tar]);
    const digest = await digestOf(`${tar}.gz`);
    const { size } = statSync(`${tar}.gz`);
    renameSync(`${tar}.gz`, this.blob(digest));
    return { descriptor: { mediaType: TYPE.layer, digest, size }, diffId };
  }

  /** @param config of one platform, without what says which layers it has */
  addImage(config: { readonly os: string; readonly architecture: string }, layers: readonly Layer[]): Descriptor {
    const { os, architecture } = config;
    const rootfs = { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) };
    const manifest = {
      schemaVersion: 2,
      mediaType: TYPE.manifest,
      config: this.addJson(TYPE.config, { ...config, rootfs }),
      layers: layers.map(({ descriptor }) => descriptor),
    };
    return { ...this.addJson(TYPE.manifest, manifest), platform: { os, architecture } };
  }

  /** Ends the layout: it holds one index, that of all platforms. */
  finish(images: readonly Descriptor[], annotations: Readonly<Record<string, string>>, reference: string): Descriptor {
    const index = { schemaVersion: 2, mediaType: TYPE.index, manifests: images, annotations };
    const descriptor = this.addJson(TYPE.index, index);
    const named = { ...descriptor, annotations: { 'org.opencontainers.image.ref.name': reference } };
    const top = { schemaVersion: 2, mediaType: TYPE.index, manifests: [named] };
    writeFileSync(join(this.folder, 'index.json'), JSON.stringify(top));
    return descriptor;
  }

  private addJson(mediaType: string, document: object): Descriptor {
    const bytes = Buffer.from(JSON.stringify(document));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    writeFileSync(this.blob(digest), bytes);
    return { mediaType, digest, size: bytes.length };
  }

  private blob(digest: string): string {
    return join(this.folder, 'blobs', digest.replace(':', '/'));
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return `sha256:${hash.digest('hex')}`;
}
