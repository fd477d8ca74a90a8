import { type ApiRequest, deadUrl, startApiServer, type WrongApiAnswer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { clusterConnection } from '../connection/cluster-connection.ts';
import type { ClusterResource } from '../resource/cluster-resource.ts';
import { ClusterClient, type ListOptions } from './cluster-client.ts';

const SECRETS: ClusterResource = { group: '', version: 'v1', plural: 'secrets', namespace: 'shop' };
const HOOKS: ClusterResource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
};
const PODS: ClusterResource = { group: '', version: 'v1', plural: 'pods' };
const AT = '/api/v1/namespaces/shop/secrets/tls';

async function cluster(before?: (request: ApiRequest) => WrongApiAnswer | undefined, timeoutMs = 100_000) {
  const server = await startApiServer(onTestFinished, before && { before });
  return { server, client: new ClusterClient(clusterConnection(server.url, {}), { timeoutMs }) };
}

async function listed(client: ClusterClient, options: ListOptions = {}): Promise<unknown[]> {
  const names = [];
  for await (const page of client.pages(PODS, options)) names.push(page.map(({ metadata }) => metadata.name));
  return names;
}

test('an object is made, read, changed and replaced, each at its path', async () => {
  const { server, client } = await cluster();
  expect(await client.find(SECRETS, 'tls')).toBeUndefined();
  const made = await client.create(SECRETS, { metadata: { name: 'tls' }, data: { a: 'MQ==' } });
  expect(await client.get(SECRETS, 'tls')).toEqual(made);
  const patched = await client.mergePatch(SECRETS, 'tls', { data: { b: 'Mg==' } });
  expect(patched['data']).toEqual({ a: 'MQ==', b: 'Mg==' });
  const read = await client.get(SECRETS, 'tls');
  expect((await client.replace(SECRETS, { ...read, data: {} }))['data']).toEqual({});
  server.put('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/w', { webhooks: [] });
  expect(await client.get(HOOKS, 'w')).toMatchObject({ webhooks: [] });
  expect(server.requests.map(({ method, path, contentType }) => `${method} ${path} ${contentType ?? ''}`)).toEqual([
    `GET ${AT} `,
    'POST /api/v1/namespaces/shop/secrets application/json',
    `GET ${AT} `,
    `PATCH ${AT} application/merge-patch+json`,
    `GET ${AT} `,
    `PUT ${AT} application/json`,
    'GET /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/w ',
  ]);
});

test('of two that replace what they read, the second one is told', async () => {
  const { server, client } = await cluster();
  server.put(AT, { data: {} });
  const read = await client.get(SECRETS, 'tls');
  await client.replace(SECRETS, { ...read, data: { winner: 'MQ==' } });
  await expect(client.replace(SECRETS, { ...read, data: {} })).rejects.toMatchObject({ code: 'cluster.conflict' });
  await expect(client.replace(SECRETS, { metadata: { name: 'tls' } })).rejects.toThrow(TypeError);
  const again = client.create(SECRETS, { metadata: { name: 'tls' } });
  await expect(again).rejects.toMatchObject({ code: 'cluster.exists' });
});

test('a list is read page by page to its end, and no further than its limit', async () => {
  const { server, client } = await cluster();
  for (const n of [1, 2, 3, 4, 5]) server.put(`/api/v1/namespaces/n${n % 2}/pods/p${n}`, {});
  expect(await listed(client, { limit: 2, fieldSelector: 'status.phase=Running' })).toEqual([
    ['p1', 'p2'],
    ['p3', 'p4'],
    ['p5'],
  ]);
  expect(server.requests.map(({ query }) => query.get('fieldSelector'))).toEqual(Array(3).fill('status.phase=Running'));
  await expect(listed(client, { limit: 2, most: 4 })).rejects.toMatchObject({ code: 'cluster.too_many' });
  expect(await listed(client, { limit: 2, most: 5 })).toHaveLength(3);
});

test('a page that is too large is asked for again with fewer entries', async () => {
  const { server, client } = await cluster();
  for (const n of [1, 2, 3]) server.put(`/api/v1/namespaces/n/pods/p${n}`, { text: 'x'.repeat(7 * 1024 * 1024) });
  expect(await listed(client)).toEqual([['p1'], ['p2'], ['p3']]);
  expect(server.requests.map(({ query }) => query.get('limit'))).toEqual(['250', '32', '4', '1', '1', '1']);
  server.put('/api/v1/namespaces/n/pods/p1', { text: 'x'.repeat(17 * 1024 * 1024) });
  await expect(listed(client)).rejects.toMatchObject({ code: 'cluster.answer_invalid' });
});

test('a list whose beginning was forgotten goes on, if the API server says where', async () => {
  let expired: WrongApiAnswer | undefined = { status: 410, body: { reason: 'Expired', metadata: { continue: '3' } } };
  const { server, client } = await cluster(({ query }) => {
    if (query.get('continue') !== '2') return undefined;
    return expired;
  });
  for (const n of [1, 2, 3, 4]) server.put(`/api/v1/namespaces/n/pods/p${n}`, {});
  expect(await listed(client, { limit: 2 })).toEqual([['p1', 'p2'], [], ['p4']]);
  for (const metadata of [{}, { continue: '2' }]) {
    expired = { status: 410, body: { metadata } };
    await expect(listed(client, { limit: 2 })).rejects.toMatchObject({ code: 'cluster.list_expired' });
  }
});

test.each([
  [401, {}, 'cluster.unauthorized'],
  [403, {}, 'cluster.forbidden'],
  [404, {}, 'cluster.not_found'],
  [409, { reason: 'AlreadyExists' }, 'cluster.exists'],
  [409, { reason: 'Conflict' }, 'cluster.conflict'],
  [410, {}, 'cluster.list_expired'],
  [400, {}, 'cluster.refused'],
  [422, {}, 'cluster.refused'],
  [429, {}, 'cluster.unreachable'],
  [500, {}, 'cluster.unreachable'],
  [302, {}, 'cluster.answer_invalid'],
  [200, {}, 'cluster.answer_invalid'],
  [200, { metadata: [] }, 'cluster.answer_invalid'],
])('an answer of %i with %j is %s', async (status, body, code) => {
  const { client } = await cluster(() => ({ status, body }));
  await expect(client.mergePatch(SECRETS, 'tls', {})).rejects.toMatchObject({ code, name: 'ClusterError' });
});

test('whoever may not do something is told the verb, and how to ask for it', async () => {
  const { client } = await cluster(() => ({ status: 403, body: { message: 'secrets "tls" is forbidden' } }));
  await expect(client.get(SECRETS, 'tls')).rejects.toMatchObject({
    message: 'this service account may not get secrets/tls in namespace shop',
    facts: {
      found: 'HTTP 403: secrets "tls" is forbidden',
      expected: 'a Role or ClusterRole with the verb get for secrets/tls',
      next: 'kubectl auth can-i get secrets/tls --namespace shop --as SERVICE_ACCOUNT',
    },
  });
  await expect(client.mergePatch(HOOKS, 'w', {})).rejects.toMatchObject({
    facts: { next: expect.stringContaining('patch validatingwebhookconfigurations.admissionregistration.k8s.io/w ') },
  });
});

test('reading is tried again, and writing is not', async () => {
  let left = 1;
  const { server, client } = await cluster(() => {
    left -= 1;
    return left < 0 ? undefined : { status: 503 };
  });
  server.put(AT, {});
  await client.get(SECRETS, 'tls');
  expect(server.requests).toHaveLength(2);
  left = 1;
  await expect(client.mergePatch(SECRETS, 'tls', {})).rejects.toMatchObject({ code: 'cluster.unreachable' });
  expect(server.requests).toHaveLength(3);
});

test('nobody waits for an API server that does not answer', async () => {
  const { client } = await cluster(() => 'never', 50);
  await expect(client.create(SECRETS, { metadata: {} })).rejects.toMatchObject({ code: 'cluster.unreachable' });
  const nobody = new ClusterClient(clusterConnection(await deadUrl(), {}));
  await expect(nobody.get(SECRETS, 'tls')).rejects.toMatchObject({ code: 'cluster.unreachable', kind: 'peer' });
});

test.each(['', '.', '..', 'a/b', '%2e%2e'])('a name that would be another path is not asked for: %s', async (name) => {
  const { server, client } = await cluster();
  await expect(client.get(SECRETS, name)).rejects.toThrow(TypeError);
  await expect(client.get({ ...SECRETS, namespace: name }, 'tls')).rejects.toThrow(TypeError);
  expect(server.requests).toEqual([]);
});
