import { expect, test } from 'vitest';
import { container, simplePod } from '../../test/objects.ts';
import { manifestObjects } from './manifest.ts';

const shown = (document: unknown) =>
  manifestObjects(document as never)?.map(({ kind, name, images }) =>
    typeof images === 'string'
      ? `${kind} ${name} ${images}`
      : `${kind} ${name} ${images.ok ? images.images.length : images.found}`,
  );
const SERVICE = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [] } };

test('objects have images, or none', () => {
  expect(shown(simplePod())).toEqual(['Pod web 1']);
  expect(shown(SERVICE)).toEqual(['Service web none']);
  expect(shown({ ...simplePod(), spec: {} })).toEqual(['Pod web spec.containers']);
  expect(shown(simplePod('a', { name: '', generateName: 'web-' }))).toEqual(['Pod  1']);
});

test('lists are opened', () => {
  const list = {
    apiVersion: 'v1',
    kind: 'List',
    items: [simplePod(), { apiVersion: 'v1', kind: 'PodList', items: [simplePod(), SERVICE] }],
  };
  expect(shown(list)).toEqual(['Pod web 1', 'Pod web 1', 'Service web none']);
  expect(shown({ ...list, items: ['x'] })).toBeUndefined();
});

test('a custom workload is not taken for one without images', () => {
  const rollout = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [container('a', 'a')] } } },
  };
  expect(shown(rollout)).toEqual(['Rollout web unknown']);
  expect(shown({ ...rollout, spec: { container: { image: 'a' } } })).toEqual(['Rollout web unknown']);
  expect(shown({ ...rollout, spec: { image: 'logo.png' } })).toEqual(['Rollout web none']);
});

test.each([null, [], 'x', {}, { kind: 'Pod' }, { apiVersion: 'v1' }, { apiVersion: 1, kind: 'Pod' }])(
  '%j is no object',
  (document) => {
    expect(shown(document)).toBeUndefined();
  },
);
