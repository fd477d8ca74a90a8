import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { container, pod, request, simplePod } from '../../test/objects.ts';
import { judgedPart, nameOf, ownerOf, pullSecretsOf } from './judged-part.ts';

const GOOD = 'ghcr.io/acme/app@sha256:x';
const judged = (more: Parameters<typeof request>[0]) => {
  const part = judgedPart(request(more));
  if (part.kind === 'judge') return part.images.map(({ image }) => image);
  return part.kind === 'pass' ? part.because : `${part.reason.code} ${part.reason.found}`;
};
const DELETING = { deletionTimestamp: '2026-11-28T10:00:00Z', finalizers: ['a.example/b'] };

describe('what is judged', () => {
  it('is every image of what is created', () => {
    expect(judged({})).toEqual(['ghcr.io/acme/app:v1']);
    expect(judgedPart(request())).toMatchObject({ isPod: true });
  });

  it('is what an update brings', () => {
    const two = pod({ containers: [container('web', 'a'), container('side', 'b')] });
    const update = (oldObject: unknown) => judged({ operation: 'UPDATE', object: two, oldObject: oldObject as never });
    expect(update(two)).toBe('no-new-image');
    expect(update(pod({ containers: [container('web', 'a')] }))).toEqual(['b']);
    expect(update(pod({ containers: [container('web', 'b'), container('side', 'a')] }))).toEqual(['a', 'b']);
    expect(update(undefined)).toEqual(['a', 'b']);
    expect(update({ spec: 'x' })).toEqual(['a', 'b']);
    // Two of one name: nobody knows which of them was judged.
    expect(update(pod({ containers: [container('web', 'a'), container('web', 'c'), container('side', 'b')] }))).toEqual(
      ['a'],
    );
  });

  it('is the container that kubectl debug adds, and not the Pod around it', () => {
    const oldObject = simplePod('old:v1');
    const object = pod({
      containers: [container('web', 'old:v1')],
      ephemeralContainers: [container('debugger', 'busybox')],
    });
    expect(judged({ operation: 'UPDATE', subResource: 'ephemeralcontainers', object, oldObject })).toEqual(['busybox']);
  });

  it('is an image volume', () => {
    const volumes = [{ name: 'model', image: { reference: 'ghcr.io/acme/model:v1' } }];
    expect(judged({ object: pod({ containers: [container('web', 'a')], volumes }) })).toEqual([
      'a',
      'ghcr.io/acme/model:v1',
    ]);
  });

  it('is a workload, whose template says what its Pods run', () => {
    const kind = { group: 'batch', version: 'v1', kind: 'CronJob' };
    const spec = { jobTemplate: { spec: { template: { spec: { containers: [container('a', 'job:v1')] } } } } };
    const object = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: {}, spec };
    expect(judged({ kind, object })).toEqual(['job:v1']);
    expect(judgedPart(request({ kind, object }))).toMatchObject({ isPod: false });
  });

  it('is nothing of what is deleted', () => {
    expect(judged({ operation: 'DELETE', object: undefined, oldObject: simplePod() })).toBe('delete');
  });
});

describe('kyverno CVE-2023-34091: a deletion timestamp', () => {
  it('of the stored object lets its finalizers be removed', () => {
    const oldObject = simplePod('bad:v1', DELETING);
    expect(
      judged({ operation: 'UPDATE', oldObject, object: simplePod('bad:v1', { ...DELETING, finalizers: [] }) }),
    ).toBe('terminating');
  });

  it('that the user writes is worth nothing', () => {
    expect(judged({ object: simplePod('bad:v1', DELETING) })).toEqual(['bad:v1']);
    expect(
      judged({ operation: 'UPDATE', object: simplePod('bad:v1', DELETING), oldObject: simplePod('good:v1') }),
    ).toEqual(['bad:v1']);
    expect(judged({ object: simplePod('bad:v1', DELETING), oldObject: simplePod('bad:v1', DELETING) })).toEqual([
      'bad:v1',
    ]);
    expect(
      judged({
        operation: 'UPDATE',
        object: simplePod('bad:v1'),
        oldObject: simplePod('good:v1', { deletionTimestamp: null as never }),
      }),
    ).toEqual(['bad:v1']);
  });
});

describe('kyverno CVE-2025-46342, CVE-2026-41485: what is not known is refused, and nothing is an exception', () => {
  it.each([
    ['scale', { subResource: 'scale' }, 'kubernetes.kind_not_covered v1/Pod/scale'],
    ['status', { subResource: 'status' }, 'kubernetes.kind_not_covered v1/Pod/status'],
    [
      'another kind',
      { kind: { group: 'argoproj.io', version: 'v1alpha1', kind: 'Rollout' } },
      'kubernetes.kind_not_covered argoproj.io/v1alpha1/Rollout',
    ],
    ['another version', { kind: { group: '', version: 'v2', kind: 'Pod' } }, 'kubernetes.kind_not_covered v2/Pod'],
    [
      'an ephemeral container of a Deployment',
      { kind: { group: 'apps', version: 'v1', kind: 'Deployment' }, subResource: 'ephemeralcontainers' },
      'kubernetes.kind_not_covered apps/v1/Deployment/ephemeralcontainers',
    ],
    ['CONNECT', { operation: 'CONNECT' }, 'kubernetes.operation_not_covered CONNECT'],
    ['no operation', { operation: '' }, 'kubernetes.operation_not_covered '],
    ['no object', { object: undefined }, 'kubernetes.object_malformed kind'],
    ['an object of another kind', { object: { ...simplePod(), kind: 'Service' } }, 'kubernetes.object_malformed kind'],
    [
      'an object of another version',
      { object: { ...simplePod(), apiVersion: 'v2' } },
      'kubernetes.object_malformed kind',
    ],
    ['no containers', { object: pod({}) }, 'kubernetes.object_malformed spec.containers'],
  ])('%s', (_title, more, expected) => {
    expect(judged(more)).toBe(expected);
  });

  it('whatever the object is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.jsonValue(), (object, oldObject) => {
        for (const operation of ['CREATE', 'UPDATE']) {
          const part = judgedPart(request({ operation, object: object as never, oldObject: oldObject as never }));
          expect(part.kind).toBe('refuse');
        }
      }),
    );
  });
});

test('an image that was changed anywhere is judged', () => {
  const image = fc.constantFrom('a', 'b', 'c');
  const list = fc.array(image, { minLength: 1, maxLength: 3 });
  const specs = fc.record({ containers: list, initContainers: list, ephemeralContainers: list, volumes: list });
  const podOf = ({ volumes, ...lists }: { volumes: string[] } & Record<string, string[]>) =>
    pod({
      ...Object.fromEntries(
        Object.entries(lists).map(([name, images]) => [name, images.map((one, i) => container(`c${i}`, one))]),
      ),
      volumes: volumes.map((reference, i) => ({ name: `v${i}`, image: { reference } })),
    } as never);
  fc.assert(
    fc.property(specs, specs, (now, before) => {
      const part = judgedPart(request({ operation: 'UPDATE', object: podOf(now), oldObject: podOf(before) }));
      const changed = Object.entries(now).flatMap(([name, images]) =>
        images.filter((one, i) => (before as Record<string, string[]>)[name]?.[i] !== one),
      );
      expect(part.kind === 'judge' ? part.images.map(({ image }) => image).sort() : []).toEqual(changed.sort());
    }),
  );
});

test('who makes an object, what it is called, and by which Secrets it is pulled', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'u', controller: true };
  const owned = simplePod(GOOD, {
    name: '',
    generateName: 'web-',
    ownerReferences: [{ ...owner, controller: false, name: 'x' }, owner],
  });
  const { controller: _, ...named } = owner;
  expect(ownerOf(owned)).toEqual(named);
  expect(ownerOf(simplePod(GOOD, { ownerReferences: [{ ...owner, uid: 1 }] }))).toBeUndefined();
  expect(ownerOf(undefined)).toBeUndefined();
  expect([nameOf(owned), nameOf(simplePod()), nameOf(null)]).toEqual(['web-', 'web', '']);
  const secret = pod({ containers: [], imagePullSecrets: [{ name: 'a' }, {}, 'b', { name: 1 }] });
  expect([pullSecretsOf(secret), pullSecretsOf(simplePod()), pullSecretsOf('x')]).toEqual([['a'], [], []]);
});
