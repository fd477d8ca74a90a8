import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RegistryClient } from '@colophon/sigstore';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../../server/src/registry/registry.ts';
import { buildImage, pushImage } from './oci-image.ts';
import { createTar } from './tar.ts';

const files = { 'app/main.js': new TextEncoder().encode('console.log(1)\n') };

describe('an image built without docker', () => {
  it('has the digest of its manifest, the same for the same files and another for others', () => {
    const image = buildImage({ files });
    expect(image.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(buildImage({ files }).digest).toBe(image.digest);
    expect(buildImage({ files, labels: { a: 'b' } }).digest).not.toBe(image.digest);
    expect(buildImage({ files: { 'app/main.js': new Uint8Array() } }).digest).not.toBe(image.digest);
  });

  it('is taken by a registry that checks every digest, and found there by tag', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oci-image-'));
    const registry = createRegistry({ folder });
    // A connection that has just answered is not idle yet, and would hold up the close.
    const app = Fastify({ forceCloseConnections: true });
    await registry.register(app);
    const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    try {
      const client = new RegistryClient();
      const place = { registry: address.host, repository: 'demo/app' };
      const pushed = await pushImage(client, place, 'v1', buildImage({ files }));
      expect(await client.resolve({ ...place, tag: 'v1' })).toEqual(pushed);
      const { layers } = JSON.parse(Buffer.from((await client.getManifest(place, 'v1'))!.bytes).toString());
      expect(await client.getBlob(place, layers[0].digest, 10_000)).toEqual(createTar(files));
    } finally {
      await app.close();
      registry.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
