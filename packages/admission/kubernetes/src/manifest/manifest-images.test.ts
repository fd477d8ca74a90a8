import { describe, expect, it } from 'vitest';
import { manifestImages } from './manifest-images.ts';
import { MANIFEST_ISSUE_CODES } from './manifest-issue.ts';

const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'a', image: name }] },
});
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { ports: [] },
};
const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c' },
  data: { image: 'nginx', images: 'a' },
};

const imagesOf = (...documents: unknown[]) =>
  manifestImages(documents).map(({ document, pointer, images }) =>
    [document, pointer, images.outcome, ...('places' in images ? images.places.map(({ image }) => image) : [])]
      .join(' ')
      .trim(),
  );
const issuesOf = (...documents: unknown[]) =>
  manifestImages(documents).map(({ document, pointer, images }) =>
    images.outcome === 'malformed' ? `${document}${pointer} ${images.issues.map(({ code }) => code)}` : images.outcome,
  );
const only = (object: unknown) => {
  const [found, ...more] = manifestImages([object]);
  expect(more).toEqual([]);
  return found!;
};

describe('manifestImages', () => {
  it('pairs each object with its names and images', () => {
    const found = manifestImages([pod('nginx'), service]);
    expect(found).toEqual([
      {
        document: 0,
        pointer: '',
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'nginx',
        images: {
          outcome: 'read',
          kind: expect.objectContaining({ kind: 'Pod' }),
          issues: [],
          places: [
            {
              part: 'containers',
              name: 'a',
              image: 'nginx',
              pointer: '/spec/containers/0/image',
              place: 'spec.containers[a]',
            },
          ],
        },
      },
      {
        document: 1,
        pointer: '',
        apiVersion: 'v1',
        kind: 'Service',
        namespace: 'shop',
        name: 'web',
        images: { outcome: 'no-images' },
      },
    ]);
  });

  it('takes the beginning of a name that is generated', () => {
    expect(only({ ...pod('a'), metadata: { generateName: 'web-', namespace: '' } })).toMatchObject({ name: 'web-' });
    expect(only({ ...pod('a'), metadata: { namespace: 7 } })).not.toHaveProperty('namespace');
    expect(only({ ...pod('a'), metadata: null })).not.toHaveProperty('name');
  });

  it('passes over empty documents, and counts them', () => {
    expect(imagesOf(null, pod('a'), undefined, pod('b'))).toEqual(['1  read a', '3  read b']);
    expect(manifestImages([])).toEqual([]);
  });

  it('takes lists apart, in their order and in each other', () => {
    const inner = { apiVersion: 'v1', kind: 'List', metadata: {}, items: [pod('b'), service] };
    const list = { apiVersion: 'v1', kind: 'List', items: [pod('a'), inner, pod('c')] };
    expect(imagesOf(list, pod('d'))).toEqual([
      '0 /items/0 read a',
      '0 /items/1/items/0 read b',
      '0 /items/1/items/1 no-images',
      '0 /items/2 read c',
      '1  read d',
    ]);
  });

  it('reads the items of a typed list, which the API server writes without kind', () => {
    const { apiVersion, kind, ...bare } = pod('a');
    expect(only({ apiVersion, kind: 'PodList', metadata: { resourceVersion: '1' }, items: [bare] })).toMatchObject({
      pointer: '/items/0',
      apiVersion,
      kind,
      images: { outcome: 'read', places: [{ image: 'a' }] },
    });
    const deployment = { spec: { template: { spec: bare.spec } } };
    expect(imagesOf({ apiVersion: 'apps/v1', kind: 'DeploymentList', items: [deployment] })).toEqual([
      '0 /items/0 read a',
    ]);
    expect(imagesOf({ apiVersion: 'v1', kind: 'PodList', items: [pod('a'), service] })).toEqual([
      '0 /items/0 read a',
      '0 /items/1 no-images',
    ]);
    // Half a kind is none.
    expect(
      issuesOf({
        apiVersion: 'v1',
        kind: 'PodList',
        items: [
          { ...bare, kind: 'Pod' },
          { ...bare, apiVersion: 'v1' },
        ],
      }),
    ).toEqual(['0/items/0 manifest.kind_missing', '0/items/1 manifest.kind_missing']);
    // Of a list of anything, no kind follows.
    expect(only({ apiVersion: 'v1', kind: 'List', items: [bare] })).not.toHaveProperty('apiVersion');
    expect(issuesOf({ apiVersion: 'v1', kind: 'List', items: [bare] })).toEqual(['0/items/0 manifest.kind_missing']);
  });

  it('has nothing of an empty list', () => {
    for (const items of [[], null, undefined])
      expect(manifestImages([{ apiVersion: 'v1', kind: 'List', items }])).toEqual([]);
    expect(manifestImages([{ apiVersion: 'v1', kind: 'PodList', items: [] }])).toEqual([]);
  });

  it.each([
    ['a text', { items: 'a' }],
    ['an object', { items: {} }],
    ['a list with a text', { items: [pod('a'), 'b'] }],
    ['a list with an empty document', { items: [pod('a'), null] }],
  ])('calls a list malformed whose items are %s', (_title, members) => {
    const list = { apiVersion: 'v1', kind: 'List', ...members };
    expect(issuesOf(list)).toEqual(['0 manifest.items_invalid']);
    expect(only(list)).toMatchObject({ kind: 'List', images: { places: [] } });
  });

  it('takes a kind that only ends in the word for itself', () => {
    const apiVersion = 'example.com/v1';
    const spec = { template: { spec: { containers: [{ image: 'nginx' }] } } };
    expect(only({ apiVersion, kind: 'AllowList', items: ['a'] }).images).toEqual({ outcome: 'no-images' });
    expect(only({ apiVersion, kind: 'List', items: ['a'] }).images).toEqual({ outcome: 'no-images' });
    expect(only({ apiVersion, kind: 'AllowList', items: {} }).images).toEqual({ outcome: 'no-images' });
    expect(only({ apiVersion, kind: 'AllowList', spec }).images.outcome).toBe('unknown');
    expect(only({ apiVersion, kind: 'AllowList', items: [], spec }).images.outcome).toBe('unknown');
    expect(only({ apiVersion, kind: 'Lists', items: ['a'], spec }).images.outcome).toBe('unknown');
    expect(issuesOf({ kind: 7, items: [pod('a')] })).toEqual(['0 manifest.kind_missing']);
    expect(imagesOf({ kind: 'List', items: [pod('a')] })).toEqual(['0 /items/0 read a']);
  });

  describe('with items beside what it says it is', () => {
    const evil = pod('evil');
    const { apiVersion: _version, kind: _kind, ...bare } = evil;
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: { spec: evil.spec } } };
    /** Of a group in which a webhook knows where images stand, so that this one would be seen nowhere. */
    const custom = { apiVersion: 'example.com/v1', kind: 'Runner', spec: { image: 'evil' } };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };

    it.each([
      ['Pods', [evil]],
      ['Pods that kubectl gives its kind', [bare]],
      ['nothing', []],
      ['null', null],
      ['an object', {}],
      ['a text', 'a'],
    ])('is malformed if its kind is covered: %s', (_title, items) => {
      for (const object of [pod('good'), deployment]) {
        const list = { apiVersion: 'v1', kind: 'List', items: [service, { ...object, items }] };
        expect(issuesOf({ ...object, items }, list)).toEqual([
          '0 manifest.items_unexpected',
          'no-images',
          '1/items/1 manifest.items_unexpected',
        ]);
      }
    });

    it('says what is expected', () => {
      const expected = 'the object without items, or a v1 List of objects';
      expect(only({ ...pod('good'), items: [evil] })).toEqual({
        document: 0,
        pointer: '',
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'good',
        images: {
          outcome: 'malformed',
          places: [],
          issues: [
            {
              path: '/items',
              code: 'manifest.items_unexpected',
              message: 'The object has items beside what its kind has, and other readers take it for a list.',
              expected,
            },
          ],
          expected,
        },
      });
      expect(only(7).images).not.toHaveProperty('expected');
    });

    it('is both, itself and a list, if its kind is not', () => {
      const outcomes = (object: object) =>
        manifestImages([object]).map(({ pointer, kind, images }) => `${pointer} ${kind} ${images.outcome}`.trim());
      expect(outcomes({ ...map, items: [custom] })).toEqual(['ConfigMap no-images', '/items/0 Runner unknown']);
      expect(outcomes({ ...map, items: [evil, { ...map, items: [custom] }] })).toEqual([
        'ConfigMap unknown',
        '/items/0 Pod read',
        '/items/1 ConfigMap no-images',
        '/items/1/items/0 Runner unknown',
      ]);
      expect(outcomes({ ...map, kind: 'RunnerList', apiVersion: 'v1', items: [{ data: {} }], data: {} })).toEqual([
        'RunnerList no-images',
        '/items/0 Runner no-images',
      ]);
      expect(outcomes({ ...map, kind: 'Lists', items: [{ data: {} }] })).toEqual([
        'Lists no-images',
        '/items/0 Lists no-images',
      ]);
      expect(outcomes({ ...map, items: [{ ...pod('good'), items: [evil] }] })).toEqual([
        'ConfigMap unknown',
        '/items/0 Pod malformed',
      ]);
    });

    it('is malformed with objects and other things in it, or too deep', () => {
      expect(issuesOf({ ...map, items: [custom, null] })).toEqual(['0 manifest.items_invalid']);
      let deep: object = { ...map, items: [custom] };
      for (let level = 0; level < 8; level++) deep = { apiVersion: 'v1', kind: 'List', items: [deep] };
      expect(issuesOf(deep)).toEqual([`0${'/items/0'.repeat(8)} manifest.too_deep`]);
    });

    it.each([[[]], [['a']], [[null]], [null], ['a'], [{ image: 'a' }]])('is itself alone with items %j', (items) => {
      expect(only({ ...map, items }).images).toEqual({ outcome: 'no-images' });
    });

    it('is itself alone where it says no kind', () => {
      for (const kind of [undefined, '', 7])
        expect(issuesOf({ apiVersion: 'v1', kind, items: [evil] })).toEqual(['0 manifest.kind_missing']);
    });

    it('has no items by another spelling', () => {
      for (const name of ['Items', 'ITEMS', 'item'])
        expect(imagesOf({ ...pod('good'), [name]: [evil] })).toEqual(['0  read good']);
    });
  });

  it('takes lists of eight levels apart, and no more', () => {
    const nested = (depth: number): object =>
      depth === 0 ? pod('a') : { apiVersion: 'v1', kind: 'List', items: [nested(depth - 1)] };
    expect(imagesOf(nested(8))).toEqual([`0 ${'/items/0'.repeat(8)} read a`]);
    expect(issuesOf(nested(9))).toEqual([`0${'/items/0'.repeat(8)} manifest.too_deep`]);
  });

  it.each([
    ['a text', 'kind: Pod', 'manifest.not_object'],
    ['a list', [pod('a')], 'manifest.not_object'],
    ['a number', 0, 'manifest.not_object'],
    ['false', false, 'manifest.not_object'],
    ['an object without kind', { apiVersion: 'v1', spec: {} }, 'manifest.kind_missing'],
    ['an object with an empty kind', { apiVersion: 'v1', kind: '' }, 'manifest.kind_missing'],
    ['an object without apiVersion', { kind: 'Pod', spec: {} }, 'manifest.kind_missing'],
    ['an object with a number as its apiVersion', { apiVersion: 1, kind: 'Pod' }, 'manifest.kind_missing'],
    ['a Pod without specification', { apiVersion: 'v1', kind: 'Pod' }, 'kubernetes.field_missing'],
    ['a Pod without image', { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{}] } }, 'kubernetes.image_missing'],
  ])('calls %s malformed', (_title, document, code) => {
    expect(issuesOf(document)).toEqual([`0 ${code}`]);
  });

  it('says what is wrong in a sentence, and what was found all the same', () => {
    expect(only(7)).toEqual({
      document: 0,
      pointer: '',
      images: {
        outcome: 'malformed',
        places: [],
        issues: [{ path: '', code: 'manifest.not_object', message: 'The document is no Kubernetes object.' }],
      },
    });
    const spec = { containers: [{ name: 'a', image: 'x' }, 7] };
    expect(only({ apiVersion: 'v1', kind: 'Pod', spec }).images).toMatchObject({ places: [{ image: 'x' }] });
  });
});

describe('an object of no covered kind', () => {
  const containers = [{ name: 'web', image: 'nginx' }];
  const fieldsOf = (apiVersion: string, members: object) => {
    const { images } = only({ apiVersion, kind: 'Anything', ...members });
    return images.outcome === 'unknown' ? images.fields : images.outcome;
  };
  const TEMPLATE = '/spec/template/spec/containers/0/image';

  it.each([
    ['argoproj.io/v1alpha1', 'an Argo Rollout', { spec: { template: { spec: { containers } } } }, [TEMPLATE]],
    ['serving.knative.dev/v1', 'a Knative Service', { spec: { template: { spec: { containers } } } }, [TEMPLATE]],
    ['apps.kruise.io/v1alpha1', 'a CloneSet', { spec: { template: { spec: { containers } } } }, [TEMPLATE]],
    ['apps/v1beta1', 'a Deployment of before', { spec: { template: { spec: { containers } } } }, [TEMPLATE]],
    [
      'apps/v1',
      'a ControllerRevision',
      { data: { spec: { template: { spec: { containers } } } } },
      [`/data${TEMPLATE}`],
    ],
    ['v2', 'a Pod of a version to come', { spec: { initContainers: containers } }, ['/spec/initContainers/0/image']],
    [
      'argoproj.io/v1alpha1',
      'a Workflow',
      { spec: { templates: [{ container: containers[0] }] } },
      ['/spec/templates/0/container/image'],
    ],
    ['batch/v2', 'a single container', { spec: { container: containers[0] } }, ['/spec/container/image']],
    [
      'tekton.dev/v1',
      'a Task',
      { spec: { steps: [{ image: 'a' }], sidecars: [{ image: 'b' }] } },
      ['/spec/steps/0/image', '/spec/sidecars/0/image'],
    ],
    ['monitoring.coreos.com/v1', 'a Prometheus', { spec: { image: 'prom' } }, ['/spec/image']],
    ['example.com/v1', 'images in a list', { spec: { images: ['a', 7] } }, ['/spec/images']],
    ['example.com/v1', 'images as a text', { spec: { images: 'a' } }, ['/spec/images']],
    [
      'example.com/v1',
      'an image by its repository',
      { spec: { image: { repository: 'a', tag: '1' } } },
      ['/spec/image'],
    ],
    [
      'example.com/v1',
      'an image volume',
      { spec: { volumes: [{ image: { reference: 'a' } }] } },
      ['/spec/volumes/0/image'],
    ],
    [
      'v2',
      'an image volume of Kubernetes',
      { spec: { volumes: [{ image: { reference: 'a' } }] } },
      ['/spec/volumes/0/image'],
    ],
    [
      'sparkoperator.k8s.io/v1beta2',
      'a SparkApplication',
      { spec: { driver: { image: 'a' } } },
      ['/spec/driver/image'],
    ],
    ['kustomize.config.k8s.io/v1beta1', 'a Kustomization', { images: [{ name: 'a/b', newTag: '2' }] }, ['/images']],
    ['postgresql.cnpg.io/v1', 'a database', { spec: { imageName: 'x/pg:1' } }, ['/spec/imageName']],
    ['example.com/v1', 'images by other names', { spec: { proxyImage: 'a:1', baseImages: '' } }, ['/spec/proxyImage']],
    [
      'example.com/v1',
      'a digest, and a registry with a port',
      { spec: { imageRef: 'a@sha256:0', BASEIMAGE: 'r:5000/a' } },
      ['/spec/imageRef', '/spec/BASEIMAGE'],
    ],
    ['apps/v2', 'names to be escaped', { 'a/b~c': { containers } }, ['/a~1b~0c/containers/0/image']],
  ])('%s: %s is not covered', (apiVersion, _title, members, fields) => {
    expect(fieldsOf(apiVersion, members)).toEqual(fields);
  });

  it.each([
    ['a ConfigMap', configMap],
    ['a Ceph volume', { apiVersion: 'v1', kind: 'PersistentVolume', spec: { rbd: { image: 'disk', pool: 'a' } } }],
    ['a Secret', { apiVersion: 'v1', kind: 'Secret', stringData: { image: 'a' } }],
    [
      'a CustomResourceDefinition',
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        spec: { properties: { image: { type: 'string' } } },
      },
    ],
    [
      'a custom resource that fetches one',
      { apiVersion: 'x.example/v1', kind: 'X', spec: { imageName: 'a', Image: 'b', image: 7 } },
    ],
    [
      'what is called after images and names none',
      {
        apiVersion: 'x.example/v1',
        kind: 'X',
        spec: {
          imagePullPolicy: 'Always',
          imagePullSecrets: [{ name: 'a/b' }],
          iconImage: 'https://a.example/logo.png',
          backgroundImage: 'logo.png',
          imageText: 'see: a/b',
          imageCount: 3,
          images: [{ tag: 'a/b' }, {}],
        },
      },
    ],
    ['what others call it', { apiVersion: 'policy/v1', kind: 'X', spec: { baseImage: 'a/b' } }],
    ['empty texts', { apiVersion: 'x.example/v1', kind: 'X', spec: { image: '', images: ['', 7, null] } }],
    [
      'an empty repository',
      { apiVersion: 'x.example/v1', kind: 'X', spec: { image: { repository: '', reference: '' } } },
    ],
    ['what Kubernetes calls repository', { apiVersion: 'policy/v1', kind: 'X', spec: { image: { repository: 'a' } } }],
    [
      'a list where an item is called image',
      { apiVersion: 'x.example/v1', kind: 'X', spec: { names: ['image', 'images'] } },
    ],
    ['a null', { apiVersion: 'x.example/v1', kind: 'X', spec: null }],
  ])('%s has no images', (_title, object) => {
    expect(only(object).images).toEqual({ outcome: 'no-images' });
  });

  it.each([
    '',
    'admissionregistration.k8s.io/',
    'apiextensions.k8s.io/',
    'apiregistration.k8s.io/',
    'apps/',
    'authentication.k8s.io/',
    'authorization.k8s.io/',
    'autoscaling/',
    'batch/',
    'certificates.k8s.io/',
    'coordination.k8s.io/',
    'discovery.k8s.io/',
    'events.k8s.io/',
    'extensions/',
    'flowcontrol.apiserver.k8s.io/',
    'internal.apiserver.k8s.io/',
    'networking.k8s.io/',
    'node.k8s.io/',
    'policy/',
    'rbac.authorization.k8s.io/',
    'resource.k8s.io/',
    'scheduling.k8s.io/',
    'storage.k8s.io/',
    'storagemigration.k8s.io/',
  ])('knows what `image` is in the group %j, below containers alone', (group) => {
    expect(fieldsOf(`${group}v1`, { spec: { image: 'a' } })).toBe('no-images');
    expect(fieldsOf(`${group}v1`, { spec: { sidecarContainers: containers } })).toEqual([
      '/spec/sidecarContainers/0/image',
    ]);
    expect(fieldsOf(`x${group || '/'}v1`, { spec: { image: 'a' } })).toEqual(['/spec/image']);
  });

  it('finds images however deep they lie, in their order, at most 20', () => {
    const spec = { a: { b: [{ image: '1' }, { image: '2' }] }, image: '3', z: Array(30).fill({ image: '4' }) };
    const fields = fieldsOf('x.example/v1', { spec });
    expect(fields).toHaveLength(20);
    expect(fields.slice(0, 4)).toEqual(['/spec/a/b/0/image', '/spec/a/b/1/image', '/spec/image', '/spec/z/0/image']);
    let deep: object = { image: 'a' };
    for (let level = 0; level < 20_000; level++) deep = { a: deep };
    expect(fieldsOf('x.example/v1', { deep })).toHaveLength(1);
  });
});

it('gives every code that is listed', () => {
  const list = (items: unknown) => ({ apiVersion: 'v1', kind: 'List', items });
  let deep = list([]);
  for (let level = 0; level < 8; level++) deep = list([deep]);
  const given = issuesOf(7, {}, list(7), { ...pod('a'), items: [] }, deep).map((issue) => issue.split(' ')[1]);
  expect(given).toEqual(MANIFEST_ISSUE_CODES);
});
