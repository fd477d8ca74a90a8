import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned, startApiServer, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { ClusterClient } from '../client/cluster-client.ts';
import { clusterConnection, podNamespace } from './cluster-connection.ts';

const SECRETS = { group: '', version: 'v1', plural: 'secrets', namespace: 'shop' };
const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.CanaryOfTheServiceAccount.c2lnbmF0dXJl';

/** An API server with TLS, and the folder of a service account beside it. */
async function pod() {
  const tls = selfSigned();
  const server = await startApiServer(onTestFinished, { tls });
  const folder = temporaryFolder(onTestFinished);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('ca.crt', tls.cert);
  write('token', `${TOKEN}\n`);
  write('namespace', 'colophon-system\n');
  const { hostname, port } = new URL(server.url);
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  return { server, folder, write, env, client: new ClusterClient(clusterConnection(undefined, env, { folder })) };
}

test('in a Pod its token goes to its API server, as it stands in the file at that moment', async () => {
  const { server, write, client } = await pod();
  await client.create(SECRETS, { metadata: { name: 'tls' } });
  write('token', 'next');
  await client.get(SECRETS, 'tls');
  expect(server.requests.map(({ authorization }) => authorization)).toEqual([`Bearer ${TOKEN}`, 'Bearer next']);
});

test('only the cluster’s own authority counts, and it may be exchanged', async () => {
  const { server, write, client } = await pod();
  await client.find(SECRETS, 'tls');
  write('ca.crt', selfSigned().cert);
  const error = await client.find(SECRETS, 'tls').catch((caught) => caught);
  expect(error).toMatchObject({ code: 'cluster.unreachable', facts: { found: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  expect(server.requests).toHaveLength(1);
  expect(JSON.stringify([error, error.message, error.stack])).not.toContain('Canary');
});

test.each(['token', 'ca.crt'])('without the file %s nothing is asked', async (name) => {
  const { server, folder, client } = await pod();
  rmSync(join(folder, name));
  const facts = { checked: join(folder, name), found: 'there is no such file' };
  await expect(client.find(SECRETS, 'tls')).rejects.toMatchObject({ code: 'cluster.credential_unreadable', facts });
  expect(server.requests).toEqual([]);
});

test.each([
  ['token', (path: string) => void execFileSync('mkfifo', [path])],
  ['ca.crt', (path: string) => symlinkSync('/dev/zero', path)],
])('with something else than a file in the place of %s nothing is asked, and nobody waits', async (name, become) => {
  const { server, folder, client } = await pod();
  rmSync(join(folder, name));
  become(join(folder, name));
  await expect(client.find(SECRETS, 'tls')).rejects.toMatchObject({ code: 'cluster.credential_unreadable' });
  expect(server.requests).toEqual([]);
});

test('an authority’s file without a certificate trusts nobody', async () => {
  const { write, client } = await pod();
  write('ca.crt', '\n');
  await expect(client.find(SECRETS, 'tls')).rejects.toMatchObject({ code: 'cluster.credential_unreadable' });
});

test('the token of a Pod does not go to a server that is named', async () => {
  const { env, folder } = await pod();
  const other = await startApiServer(onTestFinished);
  await new ClusterClient(clusterConnection(other.url, env, { folder })).find(SECRETS, 'tls');
  expect(other.requests[0]?.authorization).toBeUndefined();
});

test.each([
  ['http://127.0.0.1:8001', 'http://127.0.0.1:8001'],
  ['http://localhost:8001/', 'http://localhost:8001'],
  ['http://[::1]:8001', 'http://[::1]:8001'],
  ['https://api.example.com:6443', 'https://api.example.com:6443'],
  ['https://api.example.com/clusters/a/', 'https://api.example.com/clusters/a'],
])('%s is an API server at %s', (server, url) => {
  expect(clusterConnection(server, {}).url).toBe(url);
});

test.each([
  'http://10.0.0.1:8001',
  'http://api.example.com',
  'http://127.0.0.1.example.com',
  'ftp://127.0.0.1',
  '127.0.0.1:8001',
  'https://user:secret@api.example.com',
  'https://api.example.com?token=secret',
  'https://api.example.com#secret',
])('%s is none', (server) => {
  const refused = (error: Error & { code?: string }) => error.code === 'cluster.server_invalid';
  try {
    clusterConnection(server, {});
    expect.unreachable();
  } catch (error) {
    expect(error).toSatisfy(refused);
    expect(JSON.stringify(error)).not.toContain('secret');
  }
});

test('an address of IPv6 is put into brackets', () => {
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  expect(clusterConnection(undefined, env).url).toBe('https://[fd00::1]:443');
});

test.each([{}, { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, { KUBERNETES_SERVICE_PORT: '443' }])(
  'outside of a cluster a server has to be named: %j',
  (env) => {
    expect(() => clusterConnection(undefined, env)).toThrow(
      expect.objectContaining({ code: 'cluster.not_configured', kind: 'usage' }),
    );
  },
);

test('how one is named is said in the words of whoever asks', () => {
  const asked = (url: string) => `server: ${url}`;
  expect(() => clusterConnection(undefined, {}, { asked })).toThrow(
    expect.objectContaining({
      facts: expect.objectContaining({
        expected: 'server: URL',
        next: 'kubectl proxy --port 8001    (then server: http://127.0.0.1:8001)',
      }),
    }),
  );
});

test('the namespace of a Pod is that of its file, and nothing else', async () => {
  const { folder, write } = await pod();
  expect(podNamespace(folder)).toBe('colophon-system');
  for (const text of ['', '../x', 'A', `${'a'.repeat(64)}`]) {
    write('namespace', text);
    expect(podNamespace(folder)).toBeUndefined();
  }
  expect(podNamespace(join(folder, 'absent'))).toBeUndefined();
});
