import { describe, expect, it, test } from 'vitest';
import type { AdmissionRequest } from '../admission-review/admission-request.ts';
import { COVERED_KINDS } from '../covered-kind/covered-kind.ts';
import { judgedPart } from './judged-part.ts';
import { SCOPE_ISSUE_CODES } from './scope-issue.ts';

const DELETED = '2026-11-28T05:00:00Z';
const web = { name: 'web', image: 'nginx:1' };
type Members = { readonly [name: string]: unknown };
const pod = (spec: Members = {}, metadata: Members = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', ...metadata },
  spec: { containers: [web], ...spec },
});
const template = (spec: Members) => ({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: { spec } } });

const REQUEST = {
  uid: 'u-1',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  operation: 'CREATE',
  userInfo: {},
  dryRun: false,
};
const ofDeployments = {
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
};
const judge = (members: object) => judgedPart({ ...REQUEST, ...members } as AdmissionRequest);
const create = (object: unknown, members: object = {}) => judge({ object, ...members });
const update = (oldObject: unknown, object: unknown, members: object = {}) =>
  judge({ operation: 'UPDATE', oldObject, object, ...members });
const imagesOf = (part: ReturnType<typeof judgedPart>) =>
  part.outcome === 'judge'
    ? [part.reason, ...part.places.map(({ part, name, image }) => `${part} ${name} ${image}`)]
    : part;

describe('judgedPart, at creation', () => {
  it.each(COVERED_KINDS)('judges every image of a $kind', ({ apiVersion, kind, resource, podSpec }) => {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const spec = { containers: [web, { name: 'b', image: 'b' }], volumes: [{ name: 'v', image: { reference: 'c' } }] };
    const object = {
      apiVersion,
      kind,
      ...(podSpec.reduceRight<unknown>((below, name) => ({ [name]: below }), spec) as object),
    };
    const part = create(object, { kind: { group, version, kind }, resource: { group, version, resource } });
    expect(imagesOf(part)).toEqual(['created', 'containers web nginx:1', 'containers b b', 'volumes v c']);
    expect(part).toMatchObject({ kind: { kind }, issues: [] });
  });

  it('judges everything, whatever the old object is said to be', () => {
    expect(imagesOf(create(pod(), { oldObject: pod() }))).toEqual(['created', 'containers web nginx:1']);
  });

  it('refuses a NUL character in the name of a container or in an image, whatever the image would be without it', () => {
    const nul = (path: string) => ({
      path,
      code: 'kubernetes.nul',
      message: expect.stringMatching(/NUL/),
      expected: 'texts without NUL',
    });
    const containers = [web, { name: 'a', image: 'nginx:1\0' }, { name: 'web\0', image: 'nginx:1' }];
    const volumes = [{ name: 'v', image: { reference: '\0' } }];
    expect(create(pod({ containers, volumes }))).toEqual({
      outcome: 'malformed',
      issues: [
        nul('/spec/containers/1/image'),
        nul('/spec/containers/2/image'),
        nul('/spec/volumes/0/image/reference'),
      ],
    });
    const elsewhere = { containers: [{ ...web, args: ['\0'], env: [{ name: 'A', value: '\0' }] }] };
    expect(imagesOf(create(pod(elsewhere)))).toEqual(['created', 'containers web nginx:1']);
  });

  it('counts the images before it looks at them: more than 256 are refused as a whole', () => {
    const of = (count: number, spec: Members = {}) =>
      pod({ containers: Array.from({ length: count }, (_, index) => ({ name: `c${index}`, image: 'a' })), ...spec });
    expect(create(of(256))).toMatchObject({ outcome: 'judge', places: { length: 256 } });
    expect(create(of(257))).toEqual({ outcome: 'too-many', count: 257 });
    const initContainers = [{ name: 'i', image: 'a\0' }];
    expect(create(of(256, { initContainers }))).toEqual({ outcome: 'too-many', count: 257 });
    expect(update(of(257), of(257))).toEqual({ outcome: 'pass', reason: 'no_image_new' });
    expect(imagesOf(update(of(257), of(258)))).toEqual(['image_new', 'containers c257 a']);
    expect(update(of(1), of(258))).toEqual({ outcome: 'too-many', count: 257 });
    expect(update(undefined, of(257))).toEqual({ outcome: 'too-many', count: 257 });
  });

  it('names a place of a template that has no image, with its issue', () => {
    expect(create(template({ containers: [{ name: 'a' }] }), ofDeployments)).toMatchObject({
      outcome: 'judge',
      places: [{ name: 'a', place: 'spec.template.spec.containers[a]' }],
      issues: [{ code: 'kubernetes.image_missing' }],
    });
  });

  it('refuses a Pod that has none, or no containers', () => {
    expect(create(pod({ containers: [{ name: 'a' }] }))).toMatchObject({
      outcome: 'malformed',
      issues: [{ path: '/spec/containers/0/image', code: 'kubernetes.image_missing' }],
    });
    expect(create(pod({ containers: undefined }))).toMatchObject({
      outcome: 'malformed',
      issues: [{ path: '/spec/containers', code: 'kubernetes.field_missing' }],
    });
  });
});

describe('judgedPart, of an operation or a kind', () => {
  it.each([
    ['a Pod', {}],
    [
      'what nobody knows',
      { kind: { group: 'x', version: 'v1', kind: 'X' }, resource: { group: 'x', version: 'v1', resource: 'xs' } },
    ],
    ['a subresource', { subResource: 'anything' }],
  ])('lets the deletion of %s pass: nothing comes in', (_title, members) => {
    expect(judge({ operation: 'DELETE', ...members })).toEqual({ outcome: 'pass', reason: 'deleted' });
  });

  it.each(['CONNECT', 'PATCH', 'create', 'CREATE ', '*', ''])('does not cover %j', (operation) => {
    expect(judge({ operation, object: pod() })).toEqual({ outcome: 'not-covered', reason: 'operation' });
  });

  it.each([
    ['a Service', { group: '', version: 'v1', kind: 'Service' }, { group: '', version: 'v1', resource: 'services' }],
    [
      'an older Deployment',
      { group: 'apps', version: 'v1beta1', kind: 'Deployment' },
      { group: 'apps', version: 'v1beta1', resource: 'deployments' },
    ],
    [
      'a custom resource',
      { group: 'argoproj.io', version: 'v1alpha1', kind: 'Rollout' },
      { group: 'argoproj.io', version: 'v1alpha1', resource: 'rollouts' },
    ],
    [
      'a Pod of another group',
      { group: 'x', version: 'v1', kind: 'Pod' },
      { group: 'x', version: 'v1', resource: 'pods' },
    ],
  ])('does not cover %s', (_title, kind, resource) => {
    for (const operation of ['CREATE', 'UPDATE']) {
      expect(judge({ operation, kind, resource, object: pod() })).toEqual({ outcome: 'not-covered', reason: 'kind' });
    }
  });

  it.each([
    'status',
    'resize',
    'eviction',
    'binding',
    'exec',
    'attach',
    'log',
    'EphemeralContainers',
    'ephemeralcontainers/x',
  ])('does not cover pods/%s', (subResource) => {
    for (const operation of ['CREATE', 'UPDATE']) {
      expect(judge({ operation, subResource, object: pod(), oldObject: pod() })).toEqual({
        outcome: 'not-covered',
        reason: 'subresource',
      });
    }
  });

  it('does not cover the scale of a Deployment, whose object is of another kind', () => {
    const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
    const object = { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 9 } };
    const { resource } = ofDeployments;
    expect(judge({ operation: 'UPDATE', kind, resource, subResource: 'scale', object, oldObject: object })).toEqual({
      outcome: 'not-covered',
      reason: 'subresource',
    });
  });

  it('covers ephemeral containers of a Pod alone, and their change alone', () => {
    const debug = { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] };
    const subResource = 'ephemeralcontainers';
    expect(imagesOf(update(pod(), pod(debug), { subResource }))).toEqual([
      'image_new',
      'ephemeralContainers debug busybox',
    ]);
    expect(create(pod(debug), { subResource })).toEqual({ outcome: 'not-covered', reason: 'subresource' });
    const object = template({ containers: [web], ...debug });
    expect(update(object, object, { ...ofDeployments, subResource })).toEqual({
      outcome: 'not-covered',
      reason: 'subresource',
    });
  });

  it.each<[string, object, string, string, string?]>([
    ['kind and resource', { kind: ofDeployments.kind }, '/kind', 'kind_mismatch', 'the kind of /resource'],
    [
      'a known kind and an unknown resource',
      { resource: { group: '', version: 'v1', resource: 'services' } },
      '/kind',
      'kind_mismatch',
      'the kind of /resource',
    ],
    [
      'an unknown kind and a known resource',
      { kind: { group: '', version: 'v1', kind: 'Service' } },
      '/kind',
      'kind_mismatch',
      'the kind of /resource',
    ],
    [
      'the kind of the object',
      { object: { ...pod(), kind: 'Service' } },
      '/object',
      'kind_mismatch',
      'the kind of the request',
    ],
    [
      'the version of the object',
      { object: { ...pod(), apiVersion: 'v2' } },
      '/object',
      'kind_mismatch',
      'the kind of the request',
    ],
    [
      'an object of another covered kind',
      { object: template({ containers: [web] }) },
      '/object',
      'kind_mismatch',
      'the kind of the request',
    ],
    [
      'an object without kind',
      { object: { spec: { containers: [web] } } },
      '/object',
      'kind_mismatch',
      'the kind of the request',
    ],
    ['no object', { object: undefined }, '/object', 'object_missing', 'an object'],
  ])('refuses where they disagree: %s', (_title, members, path, code, expected) => {
    for (const operation of ['CREATE', 'UPDATE']) {
      const part = judge({ operation, object: pod(), oldObject: pod({}, { deletionTimestamp: DELETED }), ...members });
      expect(part).toEqual({
        outcome: 'malformed',
        issues: [{ path, code: `kubernetes.${code}`, message: expect.stringMatching(/^The request .+\.$/), expected }],
      });
    }
  });

  it('ignores what was asked before it was converted', () => {
    const requestKind = { group: 'extensions', version: 'v1beta1', kind: 'Deployment' };
    const object = template({ containers: [web] });
    expect(imagesOf(create(object, { ...ofDeployments, requestKind }))).toEqual(['created', 'containers web nginx:1']);
  });
});

describe('judgedPart, at a change', () => {
  const PASSED = { outcome: 'pass', reason: 'no_image_new' };
  const full = {
    containers: [web, { name: 'log', image: 'log:1' }],
    initContainers: [{ name: 'init', image: 'init:1' }],
    ephemeralContainers: [{ name: 'debug', image: 'debug:1' }],
    volumes: [{ name: 'data', image: { reference: 'data:1' } }],
  };

  it('passes where every image stood there before, in any order', () => {
    expect(update(pod(full), pod(full))).toEqual(PASSED);
    const moved = { ...full, containers: [...full.containers].reverse(), volumes: [{ name: 'x' }, ...full.volumes] };
    expect(update(pod(full), pod(moved, { labels: { a: 'b' } }))).toEqual(PASSED);
    expect(update(pod(full), pod())).toEqual(PASSED);
  });

  it.each<[string, Members, string[]]>([
    ['another image', { containers: [web, { name: 'log', image: 'log:2' }] }, ['containers log log:2']],
    [
      'a container more',
      { containers: [...full.containers, { name: 'x', image: 'nginx:1' }] },
      ['containers x nginx:1'],
    ],
    ['another name', { containers: [{ ...web, name: 'web2' }] }, ['containers web2 nginx:1']],
    ['another init image', { initContainers: [{ name: 'init', image: 'init:2' }] }, ['initContainers init init:2']],
    ['a container that becomes an init container', { initContainers: [web] }, ['initContainers web nginx:1']],
    [
      'another debugger',
      { ephemeralContainers: [{ name: 'debug', image: 'debug:2' }] },
      ['ephemeralContainers debug debug:2'],
    ],
    ['another image volume', { volumes: [{ name: 'data', image: { reference: 'data:2' } }] }, ['volumes data data:2']],
    [
      'an image volume called as a container',
      { volumes: [{ name: 'web', image: { reference: 'nginx:1' } }] },
      ['volumes web nginx:1'],
    ],
    [
      'two images exchanged',
      {
        containers: [
          { name: 'web', image: 'log:1' },
          { name: 'log', image: 'nginx:1' },
        ],
      },
      ['containers web log:1', 'containers log nginx:1'],
    ],
    ['a name that is there twice', { containers: [web, { name: 'web', image: 'evil' }] }, ['containers web evil']],
    ['no name', { containers: [{ image: 'nginx:1' }] }, ['containers undefined nginx:1']],
  ])('judges %s alone', (_title, members, images) => {
    expect(imagesOf(update(pod(full), pod({ ...full, ...members })))).toEqual(['image_new', ...images]);
  });

  it('judges a place without name, even where one stood there before', () => {
    const spec = { containers: [{ image: 'nginx:1' }] };
    expect(imagesOf(update(pod(spec), pod(spec)))).toEqual(['image_new', 'containers undefined nginx:1']);
  });

  it.each([
    ['other images', [web, { name: 'web', image: 'evil' }]],
    ['the same image', [web, web]],
  ])('takes a name that the old object has twice, with %s, for no proof', (_title, containers) => {
    expect(imagesOf(update(pod({ containers }), pod()))).toEqual(['image_new', 'containers web nginx:1']);
  });

  it.each<[string, unknown]>([
    ['absent', undefined],
    ['of another kind', { ...pod(), kind: 'Service' }],
    ['of another version', { ...pod(), apiVersion: 'v2' }],
    ['of another covered kind', template({ containers: [web] })],
    ['without specification', { apiVersion: 'v1', kind: 'Pod' }],
    ['malformed beside the same image', pod({ containers: [web, null] })],
    ['a Pod with a container without image', pod({ containers: [web, { name: 'x' }] })],
  ])('judges everything where the old object is %s', (_title, oldObject) => {
    expect(imagesOf(update(oldObject, pod()))).toEqual(['old_object_unusable', 'containers web nginx:1']);
  });

  it('passes a template that left the same image open before, and judges one that leaves it open now', () => {
    const open = template({ containers: [web], volumes: [{ name: 'data', image: {} }] });
    expect(update(open, open, ofDeployments)).toEqual(PASSED);
    const empty = template({ containers: [web], volumes: [{ name: 'data', image: { reference: '' } }] });
    expect(update(open, empty, ofDeployments)).toEqual(PASSED);
    const filled = template({ containers: [web], volumes: [{ name: 'data', image: { reference: 'data' } }] });
    expect(imagesOf(update(open, filled, ofDeployments))).toEqual(['image_new', 'volumes data data']);
    expect(imagesOf(update(filled, open, ofDeployments))).toEqual(['image_new', 'volumes data undefined']);
    const without = template({ containers: [web] });
    expect(imagesOf(update(without, open, ofDeployments))).toEqual(['image_new', 'volumes data undefined']);
    const unnamed = template({ containers: [web], volumes: [{ image: {} }] });
    expect(imagesOf(update(unnamed, unnamed, ofDeployments))).toEqual(['image_new', 'volumes undefined undefined']);
  });

  it('passes an image with a NUL character that stood there before, and refuses a new one', () => {
    const old = pod({ containers: [{ name: 'web', image: 'a\0' }] });
    expect(update(old, old)).toEqual(PASSED);
    const more = pod({
      containers: [
        { name: 'web', image: 'a\0' },
        { name: 'x', image: 'b' },
      ],
    });
    expect(imagesOf(update(old, more))).toEqual(['image_new', 'containers x b']);
    const other = pod({ containers: [{ name: 'web', image: 'a\0b' }] });
    expect(update(old, other)).toMatchObject({ outcome: 'malformed', issues: [{ code: 'kubernetes.nul' }] });
  });

  it('refuses a malformed object, whatever was there before', () => {
    const broken = pod({ containers: 'nginx' });
    expect(update(broken, broken)).toMatchObject({ outcome: 'malformed', issues: [{ code: 'kubernetes.field_type' }] });
  });
});

describe('an object that is being deleted', () => {
  const dying = pod({}, { deletionTimestamp: DELETED });
  const evil = { containers: [{ name: 'web', image: 'evil' }] };

  it.each<[string, Members]>([
    ['the same images', {}],
    ['a container less', { initContainers: [] }],
    [
      'its images under other names',
      {
        containers: [
          { name: 'a', image: 'nginx:1' },
          { name: 'a', image: 'init' },
        ],
      },
    ],
    ['no containers', { containers: null }],
    ['a container without image', { containers: [{ name: 'web' }] }],
  ])('can be changed with %s, so that its finalizers can be removed', (_title, members) => {
    const init = { initContainers: [{ name: 'init', image: 'init' }] };
    const old = pod(init, { deletionTimestamp: DELETED, finalizers: ['a/b'] });
    expect(update(old, pod({ ...init, ...members }))).toEqual({ outcome: 'pass', reason: 'being_deleted' });
  });

  it('is let go though its image has a NUL character, and takes no other one that has', () => {
    const of = (image: string) => pod({ containers: [{ name: 'web', image }] }, { deletionTimestamp: DELETED });
    expect(update(of('a\0'), of('a\0'))).toEqual({ outcome: 'pass', reason: 'being_deleted' });
    expect(update(of('a'), of('a\0'))).toMatchObject({ outcome: 'malformed', issues: [{ code: 'kubernetes.nul' }] });
  });

  it('takes no image that it did not have', () => {
    expect(imagesOf(update(dying, pod(evil)))).toEqual(['image_new', 'containers web evil']);
    const added = { initContainers: [{ name: 'init', image: 'evil' }], volumes: 7 };
    expect(update(dying, pod(added))).toMatchObject({ kind: { kind: 'Pod' }, issues: [], places: [{ name: 'init' }] });
    const broken = { ...dying, spec: { containers: null } };
    expect(imagesOf(update(broken, pod()))).toEqual(['image_new', 'containers web nginx:1']);
  });

  it.each([[null], [''], [true], [0], ['soon'], [{}], [['2026-11-28T05:00:00Z']]])(
    'is none with %j as its deletionTimestamp',
    (deletionTimestamp) => {
      const old = pod({ containers: [web, web] }, { deletionTimestamp });
      expect(imagesOf(update(old, pod()))).toEqual(['image_new', 'containers web nginx:1']);
    },
  );

  it('is none where another kind of object is', () => {
    expect(imagesOf(update({ ...dying, kind: 'Service' }, pod()))).toEqual([
      'old_object_unusable',
      'containers web nginx:1',
    ]);
  });
});

describe('what let objects pass other admission controllers', () => {
  test('CVE-2023-34091 (kyverno): a deletionTimestamp lets no new image pass, neither one that a user writes nor that of an object held by finalizers', () => {
    const marked = pod(
      { containers: [{ name: 'web', image: 'evil' }] },
      { deletionTimestamp: DELETED, finalizers: ['a/b'] },
    );
    expect(imagesOf(create(marked))).toEqual(['created', 'containers web evil']);
    expect(imagesOf(update(pod(), marked))).toEqual(['image_new', 'containers web evil']);
    expect(imagesOf(create(marked, { oldObject: marked }))).toEqual(['created', 'containers web evil']);
    const held = pod({}, { deletionTimestamp: DELETED, finalizers: ['a/b'] });
    expect(imagesOf(update(held, marked))).toEqual(['image_new', 'containers web evil']);
  });

  test.each(['kube-system', 'kube-public', 'kyverno', 'default', 'colophon-system', '', undefined])(
    'CVE-2025-46342 (kyverno): the namespace %j, and the labels of an object, change nothing',
    (namespace) => {
      const labels = { 'kubernetes.io/metadata.name': 'kube-system', 'policy.sigstore.dev/exclude': 'true' };
      const object = pod({}, { namespace: 'kube-system', labels });
      expect(imagesOf(create(object, { namespace }))).toEqual(['created', 'containers web nginx:1']);
      expect(imagesOf(update(pod({ containers: [] }), object, { namespace }))).toEqual([
        'old_object_unusable',
        'containers web nginx:1',
      ]);
    },
  );

  test.each<[string, object, string]>([
    [
      'an unknown kind',
      { kind: { group: 'x', version: 'v1', kind: 'X' }, resource: { group: 'x', version: 'v1', resource: 'xs' } },
      'not-covered',
    ],
    ['an empty list of containers', { object: pod({ containers: [] }) }, 'malformed'],
    ['lists that are null', { object: pod({ containers: null, initContainers: null, volumes: null }) }, 'malformed'],
    ['an empty object', { object: {} }, 'malformed'],
    ['no object', { object: undefined }, 'malformed'],
    ['a list of Pods', { object: { apiVersion: 'v1', kind: 'PodList', items: [] } }, 'malformed'],
  ])('CVE-2026-41485 (kyverno): %s neither passes nor throws', (_title, members, outcome) => {
    for (const operation of ['CREATE', 'UPDATE']) {
      expect(judge({ operation, object: pod(), oldObject: pod(), ...members }).outcome).toBe(outcome);
    }
  });
});

test('every code that is listed is given', () => {
  const parts = [create(undefined), create({}), create(pod({ containers: [{ name: 'web', image: '\0' }] }))];
  expect(parts.flatMap((part) => ('issues' in part ? part.issues.map(({ code }) => code) : []))).toEqual(
    SCOPE_ISSUE_CODES,
  );
});
