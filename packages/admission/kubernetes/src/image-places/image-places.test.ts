import { describe, expect, it } from 'vitest';
import { COVERED_KINDS, type CoveredKind, POD } from '../covered-kind/covered-kind.ts';
import { IMAGE_ISSUE_CODES } from './image-issue.ts';
import { type ImageReading, imagePlaces } from './image-places.ts';

/** An object of a kind, with the specification of its Pods. */
function objectOf({ apiVersion, kind, podSpec }: CoveredKind, spec: unknown): object {
  return { apiVersion, kind, ...(podSpec.reduceRight((below, name) => ({ [name]: below }), spec) as object) };
}
const pod = (spec: unknown) => objectOf(POD, spec);
const kindOf = (name: string) => COVERED_KINDS.find(({ kind }) => kind === name)!;
const deployment = (spec: unknown) => objectOf(kindOf('Deployment'), spec);
const web = { name: 'web', image: 'nginx:1' };

function read(object: unknown): Extract<ImageReading, { outcome: 'read' | 'malformed' }> {
  const reading = imagePlaces(object);
  if (reading.outcome === 'unknown') throw new Error('the kind is covered');
  return reading;
}
const issuesOf = (object: unknown) => read(object).issues.map(({ path, code }) => `${path} ${code}`);

const FULL = {
  containers: [web, { name: 'log', image: 'log@sha256:0' }],
  initContainers: [{ name: 'setup', image: 'setup' }],
  ephemeralContainers: [{ name: 'debug', image: 'busybox' }],
  volumes: [
    { name: 'tmp', emptyDir: {} },
    { name: 'data', image: { reference: 'data:2', pullPolicy: 'Always' } },
  ],
};

describe('imagePlaces', () => {
  it.each(COVERED_KINDS)('finds every image of a $kind', (kind) => {
    const path = kind.podSpec.join('.');
    const pointer = `/${kind.podSpec.join('/')}`;
    expect(imagePlaces(objectOf(kind, FULL))).toEqual({
      outcome: 'read',
      kind,
      issues: [],
      places: [
        ['containers', 'web', 'nginx:1', 'containers/0/image'],
        ['containers', 'log', 'log@sha256:0', 'containers/1/image'],
        ['initContainers', 'setup', 'setup', 'initContainers/0/image'],
        ['ephemeralContainers', 'debug', 'busybox', 'ephemeralContainers/0/image'],
        ['volumes', 'data', 'data:2', 'volumes/1/image/reference'],
      ].map(([part, name, image, at]) => ({
        part,
        name,
        image,
        pointer: `${pointer}/${at}`,
        place: `${path}.${part}[${name}]`,
      })),
    });
  });

  it.each([
    ['a Service', { apiVersion: 'v1', kind: 'Service', spec: FULL }],
    ['a custom resource called Pod', { apiVersion: 'example.com/v1', kind: 'Pod', spec: FULL }],
    ['no kind', { apiVersion: 'v1', spec: FULL }],
    ['a list of Pods', [pod(FULL)]],
    ['null', null],
    ['nothing', undefined],
    ['a text', 'Pod'],
  ])('knows nothing of %s', (_title, object) => {
    expect(imagePlaces(object)).toEqual({ outcome: 'unknown' });
  });

  it.each<[string, unknown, string]>([
    ['no spec', undefined, '/spec kubernetes.field_missing'],
    ['a spec that is null', null, '/spec kubernetes.field_missing'],
    ['a spec that is a list', [], '/spec kubernetes.field_type'],
    ['no containers', {}, '/spec/containers kubernetes.field_missing'],
    ['containers that are null', { containers: null }, '/spec/containers kubernetes.field_missing'],
    ['containers that are an object', { containers: { 0: web } }, '/spec/containers kubernetes.field_type'],
    ['containers that are a text', { containers: 'nginx' }, '/spec/containers kubernetes.field_type'],
    ['an empty list of containers', { containers: [] }, '/spec/containers kubernetes.containers_empty'],
    ['a container that is null', { containers: [web, null] }, '/spec/containers/1 kubernetes.field_type'],
    ['a container that is a text', { containers: ['nginx'] }, '/spec/containers/0 kubernetes.field_type'],
    ['an image that is a list', { containers: [{ image: ['a'] }] }, '/spec/containers/0/image kubernetes.field_type'],
    ['an image that is a number', { containers: [{ image: 1 }] }, '/spec/containers/0/image kubernetes.field_type'],
    [
      'init containers that are an object',
      { containers: [web], initContainers: {} },
      '/spec/initContainers kubernetes.field_type',
    ],
    [
      'an init container that is a text',
      { containers: [web], initContainers: ['a'] },
      '/spec/initContainers/0 kubernetes.field_type',
    ],
    [
      'ephemeral containers that are false',
      { containers: [web], ephemeralContainers: false },
      '/spec/ephemeralContainers kubernetes.field_type',
    ],
    ['volumes that are 0', { containers: [web], volumes: 0 }, '/spec/volumes kubernetes.field_type'],
    ['a volume that is a list', { containers: [web], volumes: [[]] }, '/spec/volumes/0 kubernetes.field_type'],
    [
      'an image volume that is a text',
      { containers: [web], volumes: [{ image: 'a' }] },
      '/spec/volumes/0/image kubernetes.field_type',
    ],
    [
      'a reference that is an object',
      { containers: [web], volumes: [{ image: { reference: {} } }] },
      '/spec/volumes/0/image/reference kubernetes.field_type',
    ],
  ])('calls %s malformed, in a Pod and in a template', (_title, spec, issue) => {
    expect(read(pod(spec)).outcome).toBe('malformed');
    expect(issuesOf(pod(spec))).toEqual([issue]);
    expect(read(deployment(spec)).outcome).toBe('malformed');
    expect(issuesOf(deployment(spec))).toEqual([issue.replace('/spec', '/spec/template/spec')]);
  });

  it.each([
    ['{}', {}, '/spec kubernetes.field_missing'],
    ['no template', { spec: {} }, '/spec/jobTemplate kubernetes.field_missing'],
    ['a template that is a list', { spec: { jobTemplate: [] } }, '/spec/jobTemplate kubernetes.field_type'],
    [
      'no Pod template',
      { spec: { jobTemplate: { spec: {} } } },
      '/spec/jobTemplate/spec/template kubernetes.field_missing',
    ],
  ])('calls a CronJob with %s malformed', (_title, rest, issue) => {
    const object = { apiVersion: 'batch/v1', kind: 'CronJob', ...rest };
    expect(read(object)).toMatchObject({ outcome: 'malformed', places: [] });
    expect(issuesOf(object)).toEqual([issue]);
  });

  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
  ])('takes lists that are %s for empty ones, except the containers', (_title, image) => {
    const spec = {
      containers: [web],
      initContainers: null,
      ephemeralContainers: [],
      volumes: [{ name: 'v', image: null }],
    };
    expect(read(pod(spec))).toMatchObject({ outcome: 'read', issues: [], places: [{ name: 'web' }] });

    const open = { containers: [{ name: 'web', image }], volumes: [{ name: 'data', image: { reference: image } }] };
    const issues = (path: string) => [
      `${path}/containers/0/image kubernetes.image_missing`,
      `${path}/volumes/0/image/reference kubernetes.image_missing`,
    ];
    expect(read(pod(open)).outcome).toBe('malformed');
    expect(issuesOf(pod(open))).toEqual(issues('/spec'));
    expect(read(deployment(open)).outcome).toBe('read');
    expect(issuesOf(deployment(open))).toEqual(issues('/spec/template/spec'));
    expect(read(deployment(open)).places).toEqual([
      {
        part: 'containers',
        name: 'web',
        pointer: '/spec/template/spec/containers/0/image',
        place: 'spec.template.spec.containers[web]',
      },
      {
        part: 'volumes',
        name: 'data',
        pointer: '/spec/template/spec/volumes/0/image/reference',
        place: 'spec.template.spec.volumes[data]',
      },
    ]);
  });

  it('has a place without image for an image of another type too', () => {
    expect(read(pod({ containers: [{ name: 'web', image: 7 }] })).places).toEqual([
      { part: 'containers', name: 'web', pointer: '/spec/containers/0/image', place: 'spec.containers[web]' },
    ]);
  });

  it('keeps an image of blanks, which a template may have, for its reader to refuse', () => {
    expect(read(deployment({ containers: [{ name: 'web', image: ' ' }] }))).toMatchObject({
      outcome: 'read',
      issues: [],
      places: [{ image: ' ' }],
    });
  });

  it('says what is expected, in a sentence', () => {
    const [missing, type] = [pod(undefined), pod({ containers: 1 })].map((object) => read(object).issues[0]);
    expect(missing).toEqual({
      path: '/spec',
      code: 'kubernetes.field_missing',
      message: 'The field is required.',
      expected: 'an object',
    });
    expect(type?.expected).toBe('a list');
    const expected = [
      {},
      { containers: [] },
      { containers: [1] },
      { containers: [{}] },
      { containers: [web], volumes: [{ image: 1 }] },
    ];
    expect(expected.map((spec) => read(pod(spec)).issues[0]?.expected)).toEqual([
      'a list of containers',
      'at least one container',
      'an object',
      'the reference of an image',
      'an object',
    ]);
  });

  it.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a number as its name', { name: 1 }],
  ])('shows the index of a container with %s', (_title, named) => {
    const spec = { containers: [web, { ...named, image: 'a' }], volumes: [{ ...named, image: { reference: 'b' } }] };
    const [, container, volume] = read(pod(spec)).places;
    expect(container).toEqual({
      part: 'containers',
      pointer: '/spec/containers/1/image',
      place: 'spec.containers[1]',
      image: 'a',
    });
    expect(volume).toEqual({
      part: 'volumes',
      pointer: '/spec/volumes/0/image/reference',
      place: 'spec.volumes[0]',
      image: 'b',
    });
  });

  it('shows a name that a terminal would obey in printable characters, and cuts a long one', () => {
    const names = ['a\u001b[2J', 'n'.repeat(100)];
    const { places } = read(pod({ containers: names.map((name) => ({ name, image: 'a' })) }));
    expect(places.map(({ name }) => name)).toEqual(names);
    expect(places.map(({ place }) => place)).toEqual([
      'spec.containers[a\\u001b[2J]',
      `spec.containers[${'n'.repeat(64)}...]`,
    ]);
  });

  it('names at most 20 issues, and is malformed even where the one that makes it so is not among them', () => {
    const containers = [...Array(25).fill({}), null];
    const reading = read(deployment({ containers }));
    expect(reading.issues).toHaveLength(20);
    expect(reading.issues.every(({ code }) => code === 'kubernetes.image_missing')).toBe(true);
    expect(reading.outcome).toBe('malformed');
  });
});

it('gives every code that it lists', () => {
  const specs = [undefined, { containers: 1 }, { containers: [] }, { containers: [{}] }];
  expect(specs.flatMap((spec) => read(pod(spec)).issues.map(({ code }) => code))).toEqual(IMAGE_ISSUE_CODES);
});
