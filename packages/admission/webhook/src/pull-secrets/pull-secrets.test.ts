import type { ClusterClient } from '@colophon/cluster';
import type { AdmissionRequest } from '@colophon/kubernetes';
import { expect, test, vi } from 'vitest';
import { PullSecrets } from './pull-secrets.ts';

const config = (auths: object) => ({
  metadata: {},
  data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') },
});
const login = (name: string) => ({ auth: Buffer.from(`${name}:hunter2`).toString('base64') });
const SECRETS: Record<string, object> = {
  'shop/one': config({ 'registry.example': login('one') }),
  'shop/two': config({ 'registry.example': login('two'), 'https://other.example/v2/': login('two') }),
  'shop/broken': { metadata: {}, data: { '.dockerconfigjson': '%' } },
  'other/one': config({ 'registry.example': login('thief') }),
};
const ACCOUNTS: Record<string, object> = {
  'shop/default': { metadata: {}, imagePullSecrets: [{ name: 'one' }] },
  'shop/web': { metadata: {}, imagePullSecrets: [{ name: 'none' }, { name: 'two' }] },
  'shop/bare': { metadata: {} },
};
const deployment = (spec: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {},
  spec: { template: { spec: { containers: [{ name: 'a', image: 'a' }], ...spec } } },
});
const pod = (...names: string[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {},
  spec: { containers: [{ name: 'a', image: 'a' }], imagePullSecrets: names.map((name) => ({ name })) },
});

function setUp(namespaces = ['shop']) {
  let now = new Date('2026-11-28T10:00:00Z');
  const find = vi.fn(async ({ namespace, plural }: { namespace?: string; plural: string }, name: string) => {
    if (name === 'forbidden') throw new Error('forbidden');
    return (plural === 'secrets' ? SECRETS : ACCOUNTS)[`${namespace}/${name}`];
  });
  const onFailure = vi.fn();
  const secrets = new PullSecrets({
    cluster: { find } as unknown as Pick<ClusterClient, 'find'>,
    namespaces,
    own: async (registry) => (registry === 'own.example' ? { kind: 'bearer', token: 'own' } : undefined),
    now: () => now,
    onFailure,
  });
  const userOf = async (object: object, registry = 'registry.example', namespace = 'shop') => {
    const request = { namespace, object } as unknown as AdmissionRequest;
    const found = await secrets.credentialsFor(request)?.source(registry);
    return found?.kind === 'password' ? found.username : found?.kind;
  };
  const userAt = (registry: string, names: string[], namespace?: string) => userOf(pod(...names), registry, namespace);
  return { userAt, userOf, find, onFailure, secrets, wait: (ms: number) => (now = new Date(now.getTime() + ms)) };
}

test('a pull secret is shown to its own registry, the first that has it, after the webhook’s own', async () => {
  const { userAt } = setUp();
  expect(await userAt('registry.example', ['one', 'two'])).toBe('one');
  expect(await userAt('other.example', ['one', 'two'])).toBe('two');
  expect(await userAt('evil.example', ['one', 'two'])).toBeUndefined();
  expect(await userAt('own.example', ['one'])).toBe('bearer');
});

test('only in namespaces that were named, and of the object’s own namespace', async () => {
  const { userAt, find, secrets } = setUp();
  expect(await userAt('registry.example', ['one'], 'other')).toBeUndefined();
  expect(find).not.toHaveBeenCalled();
  expect(secrets.credentialsFor({ namespace: 'shop', object: pod() } as never)).toBeUndefined();
  expect(secrets.credentialsFor({ namespace: 'shop', object: null } as never)).toBeUndefined();
});

test('what cannot be read opens nothing', async () => {
  const { userAt, onFailure } = setUp();
  expect(await userAt('registry.example', ['forbidden', 'broken', 'none', '../x', 'two'])).toBe('two');
  expect(onFailure).toHaveBeenCalledTimes(1);
});

test('a Secret is at hand for half a minute', async () => {
  const { userAt, find, wait } = setUp();
  await userAt('registry.example', ['one']);
  await userAt('registry.example', ['one']);
  expect(find).toHaveBeenCalledTimes(1);
  wait(30_000);
  await userAt('registry.example', ['one']);
  expect(find).toHaveBeenCalledTimes(2);
});

test('credentials of other namespaces and Secrets have other names', async () => {
  const { secrets } = setUp(['shop', 'bank']);
  const nameOf = (namespace: string, ...names: string[]) =>
    secrets.credentialsFor({ namespace, object: pod(...names) } as unknown as AdmissionRequest)?.name;
  const names = [nameOf('shop', 'a'), nameOf('bank', 'a'), nameOf('shop', 'b'), nameOf('shop', 'a', 'b')];
  expect(new Set(names).size).toBe(4);
  expect(nameOf('shop', 'a')).toBe(names[0]);
});

test('a Secret that was read at a time that has not come yet, because the clock was set back, is read again', async () => {
  const { userAt, find, wait } = setUp();
  await userAt('registry.example', ['one']);
  wait(-1);
  await userAt('registry.example', ['one']);
  expect(find).toHaveBeenCalledTimes(2);
  wait(1);
  await userAt('registry.example', ['one']);
  expect(find).toHaveBeenCalledTimes(2);
});

test('a template without Secrets has those of its ServiceAccount, as its Pods will', async () => {
  const { userOf, find, onFailure, wait } = setUp();
  expect(await userOf(deployment({}))).toBe('one');
  expect(await userOf(deployment({ serviceAccountName: 'web' }))).toBe('two');
  expect(await userOf(deployment({ imagePullSecrets: [{ name: 'one' }], serviceAccountName: 'web' }))).toBe('one');
  expect(await userOf(deployment({ serviceAccountName: 'bare' }))).toBeUndefined();
  expect(await userOf(deployment({ serviceAccountName: 'nobody' }))).toBeUndefined();
  expect(onFailure).not.toHaveBeenCalled();
  expect(await userOf(deployment({ serviceAccountName: 'forbidden' }))).toBeUndefined();
  expect(onFailure).toHaveBeenCalledTimes(1);
  find.mockClear();
  expect(await userOf(deployment({}))).toBe('one');
  expect(find).not.toHaveBeenCalled();
  wait(30_000);
  await userOf(deployment({}));
  expect(find.mock.calls.map(([{ plural }, name]) => `${plural}/${name}`)).toEqual([
    'serviceaccounts/default',
    'secrets/one',
  ]);
});

test('no ServiceAccount is asked about where it cannot count', async () => {
  const { userOf, find } = setUp();
  expect(await userOf(deployment({}), 'own.example')).toBe('bearer');
  expect(await userOf(deployment({}), 'registry.example', 'other')).toBeUndefined();
  expect(await userOf(deployment({ serviceAccountName: '../x' }))).toBeUndefined();
  expect(await userOf(pod())).toBeUndefined();
  expect(find).not.toHaveBeenCalled();
});
