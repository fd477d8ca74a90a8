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
