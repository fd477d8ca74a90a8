import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ImageMaterial } from '../image-gate/image-material.ts';
import { createPack } from './create-pack.ts';
import { openPack } from './open-pack.ts';

const manifest = Buffer.from('{"schemaVersion":2,"layers":[]}');
const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
const image = { registry: 'localhost:5000', repository: 'app', digest, mediaType: 'application/json', size: 31 };

const material = (attachments: number, mediaType = 'application/json'): ImageMaterial => ({
  reference: `localhost:5000/app@${digest}`,
  image,
  attached: {
    image,
    found: Array.from({ length: attachments }, (_, n) => ({ format: 'bundle', digest, bundle: Buffer.from(`${n}`) })),
    rejected: [],
    incomplete: [],
  },
  manifests: [{ digest, mediaType, bytes: manifest }],
  lists: [],
});
const pack = (...some: Parameters<typeof material>) =>
  createPack(material(...some), { trustedRoots: [], policies: [] }, '2026-11-25T10:00:00Z');

test('what no reader would take is no pack', () => {
  expect(() => pack(1001)).toThrow(expect.objectContaining({ code: 'pack.malformed' }));
  expect(openPack(pack(1000)).material.image.digest).toBe(digest);
});

test.each(['', ' ', 'x', 'application/\u0000json', `application/${'x'.repeat(3000)}`])(
  'a registry that calls a manifest %j has not its word kept',
  (mediaType) => {
    expect(openPack(pack(0, mediaType)).material.manifests).toMatchObject([{ mediaType: 'application/octet-stream' }]);
  },
);

test('what is attached to the manifests in an index is in it, and whether anybody looked', () => {
  const one = { format: 'bundle', digest, bundle: Buffer.from('{}'), manifest: digest } as const;
  const layer = { mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json', content: Buffer.from('{}') };
  const older = { ...one, format: 'older-signature', layer: { ...layer, annotations: { a: 'b' } } } as const;
  const unread = [{ code: 'image.no_room', message: 'm' }];
  const kept = (attachedToManifests: ImageMaterial['attachedToManifests']) => {
    const all = { ...material(0), attachedToManifests };
    return openPack(createPack(all, { trustedRoots: [], policies: [] }, '2026-11-25T10:00:00Z')).material;
  };
  expect(kept(undefined)).not.toHaveProperty('attachedToManifests');
  expect(kept({ image, found: [one, older], rejected: [], incomplete: unread }).attachedToManifests).toMatchObject({
    found: [{ format: 'bundle', manifest: digest }],
    rejected: [{ code: 'image.attachment_malformed' }],
    incomplete: unread,
  });
  const crowded = [{ code: 'image.too_many_signatures', message: 'm' }];
  expect(kept({ image, found: [], rejected: [], incomplete: crowded }).attachedToManifests).toMatchObject({
    found: [],
    incomplete: [{ code: 'image.too_many_signatures', message: 'm' }],
  });
  expect(kept({ image, found: [], rejected: unread, incomplete: [] }).attachedToManifests).toMatchObject({
    rejected: unread,
  });
});
