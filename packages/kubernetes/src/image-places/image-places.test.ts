import { expect, test } from 'vitest';
import { container, pod } from '../../test/objects.ts';
import { imagesOf } from './image-places.ts';
import { apiVersionOf, POD_KINDS, type PodKind, podKindOf } from './pod-kind.ts';

const POD = podKindOf('v1', 'Pod') as PodKind;
const found = (kind: PodKind, object: never) => {
  const images = imagesOf(kind, object);
  return images.ok ? images.images.map(({ pointer, place, image }) => `${pointer} ${place} ${image}`) : images.found;
};
const inPod = (spec: object) => found(POD, pod(spec as never) as never);

test('are those of containers of every kind and of image volumes', () => {
  const spec = {
    initContainers: [container('setup', 'i')],
    containers: [container('web', 'a'), container('side', 'b')],
    ephemeralContainers: [{ ...container('debug', 'e'), targetContainerName: 'web' }],
    volumes: [
      { name: 'tmp', emptyDir: {} },
      { name: 'data', image: { reference: 'v', pullPolicy: 'Always' } },
    ],
  };
  expect(inPod(spec)).toEqual([
    '/spec/containers/0/image spec.containers[web] a',
    '/spec/containers/1/image spec.containers[side] b',
    '/spec/initContainers/0/image spec.initContainers[setup] i',
    '/spec/ephemeralContainers/0/image spec.ephemeralContainers[debug] e',
    '/spec/volumes/1/image/reference spec.volumes[data] v',
  ]);
});

test.each(POD_KINDS.map((kind) => [kind.kind, kind] as const))('are found in a %s', (_name, kind) => {
  const spec = { containers: [container('web', 'a')] };
  const object = kind.path.reduceRight((inner: object, member) => ({ [member]: inner }), spec);
  expect(found(kind, object as never)).toEqual([
    `/${kind.path.join('/')}/containers/0/image ${kind.path.join('.')}.containers[web] a`,
  ]);
  expect(podKindOf(apiVersionOf(kind), kind.kind)).toBe(kind);
});

test.each([
  ['no spec', {}, 'spec.containers'],
  ['containers that are none', { containers: 'a' }, 'spec.containers'],
  ['an empty list of containers', { containers: [] }, 'spec.containers'],
  ['a container that is none', { containers: ['a'] }, 'spec.containers.0'],
  ['a container without an image', { containers: [{ name: 'web' }] }, 'spec.containers.0.image'],
  ['an empty image', { containers: [container('web', '')] }, 'spec.containers.0.image'],
  ['an image that is no text', { containers: [{ name: 'web', image: ['a'] }] }, 'spec.containers.0.image'],
  ['init containers that are none', { containers: [container('a', 'a')], initContainers: {} }, 'spec.initContainers'],
  ['volumes that are none', { containers: [container('a', 'a')], volumes: 1 }, 'spec.volumes'],
  ['a volume that is none', { containers: [container('a', 'a')], volumes: [null] }, 'spec.volumes.0'],
  [
    'an image volume that is none',
    { containers: [container('a', 'a')], volumes: [{ image: 'v' }] },
    'spec.volumes.0.image',
  ],
  [
    'an image volume without its image',
    { containers: [container('a', 'a')], volumes: [{ image: {} }] },
    'spec.volumes.0.image.reference',
  ],
])('of a Pod with %s are not found, and that is said', (_title, spec, place) => {
  expect(inPod(spec)).toBe(place);
});

test('a template may leave an image to be filled in, and nothing else', () => {
  const deployment = podKindOf('apps/v1', 'Deployment') as PodKind;
  const template = (spec: object) => found(deployment, { spec: { template: { spec } } } as never);
  expect(template({ containers: [{ name: 'web' }, container('b', 'b')] })).toHaveLength(1);
  expect(template({ containers: [{ name: 'web', image: 1 }] })).toBe('spec.template.spec.containers.0.image');
  expect(found(deployment, { spec: { template: {} } } as never)).toBe('spec.template.spec');
  expect(found(deployment, null as never)).toBe('spec.template.spec');
});

test('members that a prototype has are no members', () => {
  const spec = JSON.parse('{"containers":[{"name":"a","image":"a"}],"__proto__":{"initContainers":[{"image":"x"}]}}');
  expect(inPod(spec)).toHaveLength(1);
});

test('names from outside stay out of places', () => {
  expect(inPod({ containers: [{ name: 'a\u001b[31m', image: 'a' }] })).toEqual([
    '/spec/containers/0/image spec.containers[0] a',
  ]);
});
