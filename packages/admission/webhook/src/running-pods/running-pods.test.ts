import { ClusterClient, clusterConnection } from '@colophon/cluster';
import { startApiServer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { findRejectedPods, type RejectedRun, rejectedRunOccurrence } from './find-rejected-pods.ts';
import { runningImages } from './running-images.ts';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const [A, B, C] = ['a', 'b', 'c'].map(digest) as [string, string, string];

/** A Pod as an API server has it, with what the kubelet says of its containers. */
function podOf(images: Readonly<Record<string, readonly [image: string, imageID: string]>>) {
  const containers = Object.entries(images).map(([name, [image]]) => ({ name, image }));
  const containerStatuses = Object.entries(images).map(([name, [image, imageID]]) => ({ name, image, imageID }));
  return { metadata: {}, spec: { containers }, status: { phase: 'Running', containerStatuses } };
}

test.each([
  ['docker-pullable', `docker-pullable://ghcr.io/acme/app@${A}`, [A], true],
  ['containerd', `ghcr.io/acme/app@${A}`, [A], true],
  ['a bare digest', A, [A], false],
  ['docker’s own', `docker://${A}`, [A], false],
  ['nothing yet', '', [], false],
  ['another hash', `ghcr.io/acme/app@sha512:${'a'.repeat(128)}`, [], false],
  ['a digest that is too short', 'ghcr.io/acme/app@sha256:abc', [], false],
  ['a digest within a name', `x${A}`, [], false],
])('the digest of an image is read from %s', (_title, imageID, digests, isKnown) => {
  expect(runningImages(podOf({ web: ['ghcr.io/acme/app:v1', imageID] }))).toEqual([
    { place: 'spec.containers[web]', image: 'ghcr.io/acme/app:v1', digests, isKnown },
  ]);
});

test('an image that is pinned to an index has the digests of index and manifest', () => {
  const [{ digests } = { digests: [] }] = runningImages(podOf({ web: [`app@${A}`, `app@${B}`] }));
  expect(digests).toEqual([A, B]);
  expect(runningImages(podOf({ web: [`app@${A}`, `app@${A}`] }))[0]?.digests).toEqual([A]);
});

test('beside a digest of a repository a bare one is no further one: it is that of a configuration', () => {
  const statuses = [{ name: 'web', image: B, imageID: `app@${C}` }];
  const pod = { ...podOf({ web: [`app@${A}`, ''] }), status: { containerStatuses: statuses } };
  expect(runningImages(pod)).toMatchObject([{ digests: [A, C], isKnown: true }]);
  expect(runningImages(podOf({ web: [`app@${A}`, `docker://${B}`] }))).toMatchObject([{ digests: [A], isKnown: true }]);
});

test('containers of every kind and volumes count, each with its own status', () => {
  const status = (name: string, of: string) => [{ name, imageID: `app@${of}` }];
  const pod = {
    spec: {
      containers: [{ name: 'one', image: 'app' }],
      initContainers: [{ name: 'one', image: 'app' }],
      ephemeralContainers: [{ name: 'debug', image: 'app' }],
      volumes: [{ name: 'data', image: { reference: `data@${C}` } }],
    },
    status: {
      containerStatuses: status('one', A),
      initContainerStatuses: status('one', B),
      ephemeralContainerStatuses: status('debug', C),
    },
  };
  expect(runningImages(pod).map(({ place, digests }) => [place, digests])).toEqual([
    ['spec.containers[one]', [A]],
    ['spec.initContainers[one]', [B]],
    ['spec.ephemeralContainers[debug]', [C]],
    ['spec.volumes[data]', [C]],
  ]);
});

test.each([
  undefined,
  null,
  {},
  { spec: {} },
  { spec: { containers: [{}] } },
  { spec: { containers: [{ name: 'a', image: 1 }] }, status: [] },
  { spec: { containers: 'x' }, status: { containerStatuses: 'x' } },
])('a Pod of another shape has none: %j', (pod) => {
  expect(runningImages(pod)).toEqual([]);
});

async function cluster(pods: Readonly<Record<string, object>>) {
  const server = await startApiServer(onTestFinished);
  for (const [at, pod] of Object.entries(pods)) {
    const [namespace, name] = at.split('/');
    server.put(`/api/v1/namespaces/${namespace}/pods/${name}`, {
      ...pod,
      metadata: { namespace, name, uid: `u-${name}` },
    });
  }
  const asked: string[] = [];
  const found: RejectedRun[] = [];
  const look = (rejected: readonly string[], undecided: readonly string[] = []) =>
    findRejectedPods({
      cluster: new ClusterClient(clusterConnection(server.url, {})),
      excludedNamespaces: new Set(['kube-system']),
      isCovered: (image) => !image.startsWith('elsewhere.example/'),
      isRejected: (image, of) => {
        asked.push(`${image} ${of.slice(7, 9)}`);
        if (undecided.includes(of)) return 'undecided';
        return rejected.includes(of) ? [{ code: 'admission.review_rejected', message: 'Rejected.' }] : undefined;
      },
      onRejected: (run) => void found.push(run),
    });
  return { server, asked, found, look };
}

test('Pods that run a rejected image are told, with the digest that is rejected', async () => {
  const { found, look, server } = await cluster({
    'shop/good': podOf({ web: ['app:1', `app@${A}`] }),
    'shop/bad': podOf({ web: ['app:1', `app@${A}`], side: [`tool@${C}`, `tool@${B}`] }),
    'shop/new': podOf({ web: ['app:2', ''] }),
    'kube-system/dns': podOf({ web: ['app:1', `app@${B}`] }),
  });
  expect(await look([B])).toEqual({ pods: 3, images: 4, unknown: 1, undecided: 0, rejected: 1 });
  expect(found).toEqual([
    {
      pod: { namespace: 'shop', name: 'bad', uid: 'u-bad' },
      place: 'spec.containers[side]',
      image: `tool@${C}`,
      digest: B,
      reasons: [{ code: 'admission.review_rejected', message: 'Rejected.' }],
    },
  ]);
  expect(server.requests[0]?.query.get('fieldSelector')).toBe(
    'status.phase!=Succeeded,status.phase!=Failed,metadata.namespace!=kube-system',
  );
  expect(server.requests.every(({ method }) => method === 'GET')).toBe(true);
  expect(rejectedRunOccurrence(found[0] as RejectedRun, new Date('2026-11-28T10:00:00Z'))).toMatchObject({
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'bad', uid: 'u-bad' },
    reason: 'RejectedImageRuns',
    images: [B],
    note: `spec.containers[side] tool@${C} runs and was rejected: admission.review_rejected: Rejected.`,
  });
});

test('an image counts once: as rejected by any digest, else as undecided by any, else as unknown', async () => {
  const { asked, found, look } = await cluster({
    'shop/both': podOf({ web: [`app@${A}`, `app@${B}`], side: [`tool@${B}`, `tool@${A}`] }),
    'shop/gone': podOf({ web: [`app@${C}`, `app@${A}`] }),
    'shop/bare': podOf({ web: ['app:1', A], side: ['app:1', `docker://${B}`] }),
    'shop/new': podOf({ web: ['app:2', ''] }),
    'shop/other': podOf({ web: ['elsewhere.example/app', ''], side: [`elsewhere.example/app@${B}`, ''] }),
  });
  expect(await look([B], [A])).toEqual({ pods: 5, images: 6, rejected: 3, undecided: 1, unknown: 2 });
  const places = found.map(({ pod, place }) => `${pod.name} ${place}`);
  expect(places.sort()).toEqual([
    'bare spec.containers[side]',
    'both spec.containers[side]',
    'both spec.containers[web]',
  ]);
  expect(asked.some((one) => one.startsWith('elsewhere.example/'))).toBe(false);
});

test('one image of many Pods is asked about once', async () => {
  const pods = Object.fromEntries(
    Array.from({ length: 600 }, (_, n) => [`shop/p${n}`, podOf({ web: ['app:1', `app@${A}`] })]),
  );
  const { asked, found, look, server } = await cluster(pods);
  expect(await look([A])).toMatchObject({ pods: 600, rejected: 600 });
  expect(asked).toEqual(['app:1 aa']);
  expect(new Set(found.map(({ pod }) => pod.name)).size).toBe(600);
  expect(server.requests.length).toBe(3);
});

test('an error of the list or of the question is the caller’s', async () => {
  const { look } = await cluster({ 'shop/a': podOf({ web: ['a', `a@${A}`] }) });
  expect(await look([])).toMatchObject({ pods: 1, rejected: 0 });
  const server = await startApiServer(onTestFinished, { before: () => ({ status: 403 }) });
  const options = {
    cluster: new ClusterClient(clusterConnection(server.url, {})),
    excludedNamespaces: new Set<string>(),
    isCovered: () => true,
    isRejected: () => undefined,
    onRejected: () => {},
  };
  await expect(findRejectedPods(options)).rejects.toMatchObject({ code: 'cluster.forbidden' });
});
