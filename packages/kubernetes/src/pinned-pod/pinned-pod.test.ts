import fc from 'fast-check';
import { expect, test } from 'vitest';
import { container, patched, pod } from '../../test/objects.ts';
import { imagesOf } from '../image-places/image-places.ts';
import { type PodKind, podKindOf } from '../image-places/pod-kind.ts';
import { isPinned, pinnedImage, pinPatch } from './pinned-pod.ts';

const POD = podKindOf('v1', 'Pod') as PodKind;
const DIGEST = `sha256:${'a'.repeat(64)}`;
const imagesIn = (object: never) => {
  const found = imagesOf(POD, object);
  return found.ok ? found.images : [];
};

test('a digest is added behind the tag, and never to another one', () => {
  expect(pinnedImage('ghcr.io/acme/app:v1', DIGEST)).toBe(`ghcr.io/acme/app:v1@${DIGEST}`);
  expect(pinnedImage('nginx', DIGEST)).toBe(`nginx@${DIGEST}`);
  const other = `nginx@sha256:${'b'.repeat(64)}`;
  expect(pinnedImage(other, DIGEST)).toBe(other);
  expect([isPinned('nginx:v1'), isPinned(other), isPinned('nginx@sha256:b'), isPinned('@')]).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

test('the patched Pod has every image by its digest, where it was resolved', () => {
  const images = fc.array(fc.constantFrom('nginx', 'a/b:v1', 'localhost:5000/x', `c@sha256:${'b'.repeat(64)}`), {
    minLength: 1,
  });
  fc.assert(
    fc.property(images, images, (containers, volumes) => {
      const object = pod({
        containers: containers.map((image, i) => container(`c${i}`, image)),
        volumes: volumes.map((reference, i) => ({ name: `v${i}`, image: { reference } })),
      });
      const digests = new Map(['nginx', 'a/b:v1', 'localhost:5000/x'].map((image) => [image, DIGEST]));
      const after = patched(object, pinPatch(imagesIn(object as never), digests));
      expect(imagesIn(after as never).map(({ image }) => image)).toEqual(
        [...containers, ...volumes].map((image) => pinnedImage(image, DIGEST)),
      );
    }),
  );
});

test('nothing is patched that was changed meanwhile, or was not resolved', () => {
  const object = pod({ containers: [container('web', 'nginx')] });
  const patch = pinPatch(imagesIn(object as never), new Map([['nginx', DIGEST]]));
  expect(() => patched(pod({ containers: [container('web', 'other')] }), patch)).toThrow('test of');
  expect(pinPatch(imagesIn(object as never), new Map())).toEqual([]);
});
