import { setTimeout as delay } from 'node:timers/promises';
import { ClusterClient, clusterConnection } from '@colophon/cluster';
import type { AdmissionDecisionRecord, DecidedImage } from '@colophon/records';
import { type ApiRequest, deadUrl, startApiServer, type WrongApiAnswer } from '@colophon/testkit';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clusterEvent, type Occurrence } from './cluster-event.ts';
import { decisionOccurrences } from './decision-occurrences.ts';
import { EventPoster } from './event-poster.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const UID = '705ab4f5-6393-11e8-b7cc-42010a800002';
const IMAGE: DecidedImage = {
  place: 'spec.containers[web]',
  image: 'ghcr.io/acme/app:v1',
  digest: DIGEST,
  admitted: false,
  reasons: [{ code: 'admission.review_missing', message: 'No review was found.', policy: 'production' }],
  warnings: [],
  policies: ['production'],
  agents: [],
  reviewers: [],
  cached: false,
};
const REFUSED: AdmissionDecisionRecord = {
  id: 'a',
  time: '2026-11-28T10:20:00.123Z',
  webhook: 'validate',
  operation: 'CREATE',
  object: { kind: 'Pod', namespace: 'shop', name: 'web-7c9-' },
  mode: 'enforce',
  admitted: false,
  enforced: true,
  images: [IMAGE],
};
const EXCEPTION = { owner: 'oncall@acme.example', reason: 'outage', until: '2026-11-28T18:00:00Z' };
const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7c9', uid: UID, controller: true };
const podOf = (...ownerReferences: object[]) => ({ metadata: { ownerReferences } });
const [OCCURRENCE] = decisionOccurrences(REFUSED, podOf(OWNER)) as [Occurrence];

describe('of a decision', () => {
  test('that refuses a Pod of a controller, the controller is told: the Pod never exists', () => {
    expect(decisionOccurrences(REFUSED, podOf({ ...OWNER, controller: false, name: 'x' }, OWNER))).toEqual([
      {
        regarding: { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'shop', name: 'web-7c9', uid: UID },
        reason: 'AdmissionRefused',
        images: [DIGEST],
        note: 'spec.containers[web] ghcr.io/acme/app:v1: admission.review_missing: No review was found. (policy production)',
        at: new Date(REFUSED.time),
      },
    ]);
  });

  test.each([
    ['has none', podOf()],
    ['has no metadata', {}],
    ['is none', undefined],
    ['has one that does not control it', podOf({ ...OWNER, controller: 'true' })],
    ['has one whose name is none', podOf({ ...OWNER, name: '../x' })],
    ['has one whose kind is none', podOf({ ...OWNER, kind: 'Replica Set' })],
    ['has one without a uid', podOf({ ...OWNER, uid: undefined })],
    ['has one whose version is none', podOf({ ...OWNER, apiVersion: 'apps/v1\n' })],
  ])('whose Pod %s, the Pod is told', (_title, object) => {
    const [{ regarding }] = decisionOccurrences(REFUSED, object) as [Occurrence];
    expect(regarding).toEqual({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-7c9-' });
  });

  test('that refuses a change of a Pod, the Pod is told, which is there', () => {
    const object = { metadata: { ...podOf(OWNER).metadata, uid: UID } };
    const [{ regarding }] = decisionOccurrences({ ...REFUSED, operation: 'UPDATE' }, object) as [Occurrence];
    expect(regarding).toMatchObject({ kind: 'Pod', uid: UID });
  });

  test('all images that stay out are one event, which tells the first of them', () => {
    const others = ['nginx', 'b', 'c', 'd', 'e'].map((image) => ({ ...IMAGE, digest: undefined as never, image }));
    const images = [IMAGE, { ...IMAGE, admitted: true, image: 'good' }, ...others];
    const [one, ...more] = decisionOccurrences({ ...REFUSED, images }, podOf(OWNER));
    expect([one?.images, more]).toEqual([[DIGEST, 'nginx', 'b', 'c', 'd', 'e'], []]);
    const why = 'admission.review_missing: No review was found. (policy production)';
    const told = ['ghcr.io/acme/app:v1', 'nginx', 'b', 'c', 'd'].map(
      (image) => `spec.containers[web] ${image}: ${why}`,
    );
    expect(one?.note).toBe(`6 images stay out: ${told.join('; ')}`);
  });

  test('that admits by an exception, the Pod is told who answers for it', () => {
    const record = { ...REFUSED, admitted: true, images: [{ ...IMAGE, admitted: true, exception: EXCEPTION }] };
    expect(decisionOccurrences(record, podOf(OWNER))).toMatchObject([
      {
        regarding: { kind: 'Pod' },
        reason: 'AdmissionException',
        note: 'spec.containers[web] ghcr.io/acme/app:v1 came in by an exception of oncall@acme.example until 2026-11-28T18:00:00Z: outage',
      },
    ]);
  });

  test('that admits by exceptions, each of them is one event', () => {
    const others = ['b', 'c'].map((image) => ({ ...IMAGE, admitted: true, image, exception: EXCEPTION }));
    const other = { ...IMAGE, admitted: true, image: 'd', exception: { ...EXCEPTION, owner: 'bob@acme.example' } };
    const images = [{ ...IMAGE, admitted: true }, ...others, other].map((one) => ({
      ...one,
      digest: undefined as never,
    }));
    const told = decisionOccurrences({ ...REFUSED, admitted: true, images }, podOf(OWNER));
    expect(told.map(({ images: about, note }) => [about, note])).toEqual([
      [
        ['b', 'c'],
        '2 images came in by an exception of oncall@acme.example until 2026-11-28T18:00:00Z: outage; spec.containers[web] b; spec.containers[web] c',
      ],
      [['d'], expect.stringMatching(/^spec\.containers\[web\] d came in by an exception of bob@/)],
    ]);
  });

  test.each([
    ['refuses nothing', { ...REFUSED, admitted: true, images: [{ ...IMAGE, admitted: true }] }],
    ['only audits', { ...REFUSED, mode: 'audit', enforced: false } as const],
    ['is about a workload', { ...REFUSED, object: { ...REFUSED.object, kind: 'Deployment' } }],
    ['is about no namespace', { ...REFUSED, object: { ...REFUSED.object, namespace: '' } }],
  ])('that %s nothing is told', (_title, record) => {
    expect(decisionOccurrences(record, podOf(OWNER))).toEqual([]);
  });
});

describe('an event', () => {
  test('has what the API asks for', () => {
    expect(clusterEvent(OCCURRENCE, 'colophon-admission-abc')).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: expect.stringMatching(/^web-7c9\.[0-9a-f]{20}$/), namespace: 'shop' },
      eventTime: '2026-11-28T10:20:00.123000Z',
      reportingController: 'colophon.example/admission',
      reportingInstance: 'colophon-admission-abc',
      action: 'Refuse',
      reason: 'AdmissionRefused',
      type: 'Warning',
      regarding: OCCURRENCE.regarding,
      note: OCCURRENCE.note,
    });
  });

  test('of the same object, reason, image and hour is the same, whichever replica saw it', () => {
    const nameOf = (change: Partial<Occurrence>, instance = 'a') =>
      clusterEvent({ ...OCCURRENCE, ...change }, instance).metadata.name;
    const name = nameOf({});
    expect(nameOf({ note: 'other', at: new Date('2026-11-28T10:59:59Z') }, 'b')).toBe(name);
    const others: Array<Partial<Occurrence>> = [
      { at: new Date('2026-11-28T11:00:00Z') },
      { images: ['nginx'] },
      { images: [...OCCURRENCE.images, 'nginx'] },
      { reason: 'AdmissionException' },
      ...['kind', 'namespace', 'name', 'uid'].map((member) => ({
        regarding: { ...OCCURRENCE.regarding, [member]: 'x' },
      })),
    ];
    expect(new Set([name, ...others.map((change) => nameOf(change))]).size).toBe(others.length + 1);
  });

  test('is one that the API takes, whatever stands in the object', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', maxLength: 3000 }), (name, note) => {
        const regarding = { ...OCCURRENCE.regarding, name };
        const event = clusterEvent({ ...OCCURRENCE, regarding, note, images: [note] }, note);
        expect(event.metadata.name).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/);
        expect(event.metadata.name?.length).toBeLessThanOrEqual(253);
        expect(event['note']).toMatch(/^[\x20-\x7e]{0,1024}$/);
        expect(event['reportingInstance']).toMatch(/^[\x20-\x7e]{1,128}$/);
      }),
    );
  });
});

describe('events are posted', () => {
  async function poster(
    before?: (request: ApiRequest) => WrongApiAnswer | undefined | Promise<WrongApiAnswer | undefined>,
    mostWaiting = 1_000,
  ) {
    const server = await startApiServer(onTestFinished, before && { before });
    const outcomes: string[] = [];
    const cluster = new ClusterClient(clusterConnection(server.url, {}), { timeoutMs: 100_000 });
    const onEvent = (outcome: string) => void outcomes.push(outcome);
    return { server, outcomes, poster: new EventPoster({ cluster, instance: 'a', onEvent, mostWaiting }) };
  }
  const several = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...OCCURRENCE, images: [`image-${n}`] }));

  test('in the namespace of their object, each once', async () => {
    const { server, outcomes, poster: one } = await poster();
    one.post([OCCURRENCE, OCCURRENCE, ...several(2)]);
    expect(server.requests).toEqual([]);
    await one.settled();
    one.post([OCCURRENCE]);
    await one.settled();
    expect(outcomes).toEqual(['posted', 'posted', 'posted']);
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(3).fill('POST /apis/events.k8s.io/v1/namespaces/shop/events'),
    );
  });

  test('by two replicas as one', async () => {
    const { server, outcomes, poster: one } = await poster();
    const cluster = new ClusterClient(clusterConnection(server.url, {}));
    const other = new EventPoster({ cluster, instance: 'b', onEvent: (outcome) => void outcomes.push(outcome) });
    one.post([OCCURRENCE]);
    other.post([OCCURRENCE]);
    await Promise.all([one.settled(), other.settled()]);
    expect(outcomes).toEqual(['posted', 'posted']);
    expect(server.objects.size).toBe(1);
  });

  test('or counted, where too many wait or the API server refuses; nothing is thrown', async () => {
    const { outcomes, poster: one } = await poster(() => ({ status: 403 }), 3);
    one.post(several(5));
    await one.settled();
    expect(outcomes).toEqual(['dropped', 'dropped', 'failed', 'failed', 'failed']);
  });

  test('of each namespace and reason in turn, and a flood of one keeps no other out', async () => {
    const { server, outcomes, poster: one } = await poster(undefined, 4);
    const exceptions = (namespace: string, count: number) =>
      several(count).map((occurrence) => ({
        ...occurrence,
        reason: 'AdmissionException' as const,
        regarding: { ...OCCURRENCE.regarding, namespace },
      }));
    one.post(several(9));
    one.post(exceptions('shop', 1));
    one.post(exceptions('other', 2));
    await one.settled();
    expect(outcomes).toEqual([...Array(8).fill('dropped'), ...Array(4).fill('posted')]);
    const stored = [...server.objects.values()].map(
      (event) => `${event['reason']} ${(event['metadata'] as { namespace: string }).namespace}`,
    );
    expect(stored).toEqual([
      'AdmissionRefused shop',
      'AdmissionException shop',
      'AdmissionException other',
      'AdmissionRefused shop',
    ]);
  });

  test('again, where they were refused before', async () => {
    let status: number | undefined = 500;
    const { outcomes, poster: one } = await poster(() => (status === undefined ? undefined : { status }));
    one.post([OCCURRENCE]);
    await one.settled();
    status = undefined;
    one.post([OCCURRENCE]);
    await one.settled();
    expect(outcomes).toEqual(['failed', 'posted']);
  });

  test('without an API server they fail, and cost the caller nothing', async () => {
    const outcomes: string[] = [];
    const cluster = new ClusterClient(clusterConnection(await deadUrl(), {}), { timeoutMs: 200 });
    const one = new EventPoster({ cluster, instance: 'a', onEvent: (outcome) => void outcomes.push(outcome) });
    for (let n = 0; n < 100; n++) one.post(several(1));
    // Nobody was asked yet, so there was nothing to wait for.
    expect(outcomes).not.toContain('failed');
    await one.close();
    expect(outcomes.filter((outcome) => outcome === 'failed').length).toBeLessThanOrEqual(1);
    expect(outcomes).toHaveLength(100);
  });

  test('until the end, when what waits is dropped and what is under way is finished', async () => {
    const { outcomes, poster: one } = await poster(async () => {
      await delay(50);
      return undefined;
    });
    one.post(several(4));
    await delay(20);
    await one.close();
    expect(outcomes.toSorted()).toEqual(['dropped', 'dropped', 'dropped', 'posted']);
    one.post(several(1));
    expect(outcomes).toHaveLength(5);
  });
});
