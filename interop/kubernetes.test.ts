import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKubernetesMissing, type KubernetesServer, startKubernetes } from './kubernetes-server.ts';

describe.skipIf(isKubernetesMissing())('x', () => {
  let k: KubernetesServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
    const t = Date.now();
    k = await startKubernetes(folder);
    console.log('ready', Date.now() - t);
  });
  afterAll(async () => {
    await k?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  test('pods', async () => {
    const r = await k.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    console.log(r.status);
    const p = await k.request('POST', '/api/v1/namespaces/shop/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'b' }] } });
    console.log(p.status, JSON.stringify(p.body).slice(0, 300));
    expect(p.status).toBe(201);
  });
});
