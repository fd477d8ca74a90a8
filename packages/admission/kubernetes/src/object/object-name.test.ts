import { describe, expect, test } from 'vitest';
import { metadataOf, nameOf, ownerOf } from './object-name.ts';

test.each([
  [{ metadata: { name: 'web' } }, 'web'],
  [{ metadata: { name: 'web', generateName: 'web-' } }, 'web'],
  [{ metadata: { generateName: 'web-' } }, 'web-'],
  [{ metadata: { name: '', generateName: 'web-' } }, 'web-'],
  [{ metadata: { name: 7, generateName: '' } }, undefined],
  [{ metadata: 'web' }, undefined],
  [{}, undefined],
  [null, undefined],
])('the name of %j is %s', (object, name) => {
  expect(nameOf(object)).toBe(name);
});

describe('ownerOf', () => {
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d', controller: true };
  test.each([
    ['the controller', [set], 'ReplicaSet/web-5d'],
    [
      'the first controller',
      [
        { ...set, controller: false },
        { ...set, name: 'a' },
        { ...set, name: 'b' },
      ],
      'ReplicaSet/a',
    ],
    ['an owner that does not control', [{ ...set, controller: false }], undefined],
    ['an owner that does not say so', [{ kind: 'Job', name: 'a' }], undefined],
    ['a controller as a text', [{ ...set, controller: 'true' }], undefined],
    ['no name', [{ ...set, name: '' }], undefined],
    ['no kind', [{ ...set, kind: undefined }], undefined],
    ['no object', [null, 1, 'x'], undefined],
    ['an object before', [null, set], 'ReplicaSet/web-5d'],
    ['no list', set, undefined],
    ['nothing', undefined, undefined],
  ])('%s', (_title, ownerReferences, owner) => {
    expect(ownerOf({ metadata: { ownerReferences } })).toBe(owner);
  });
});

test.each([[undefined], [null], [[]], ['a'], [{}], [{ metadata: [] }], [{ metadata: null }]])(
  'the metadata of %j is empty',
  (object) => {
    expect(metadataOf(object)).toEqual({});
  },
);
