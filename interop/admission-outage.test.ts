import { writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type AdmissionWebhook, registerWebhook, startWebhook } from './admission-webhook.ts';
import { type Installation, startColophon } from './colophon-up.ts';
import {
  isKubernetesMissing,
  type KubernetesAnswer,
  type KubernetesServer,
  startKubernetes,
} from './kubernetes-server.ts';
import { isMissing } from './programs.ts';
import { ReviewedImages } from './reviewed-images.ts';

describe.skipIf(isKubernetesMissing() || isMissing('crane'))('admission while what it needs is down', () => {
  let up: Installation;
  let kubernetes: KubernetesServer;
  let webhook: AdmissionWebhook;
  let good: string;
  let unseen: string;
  let bad: string;
  let named = 0;

  beforeAll(async () => {
    up = await startColophon();
    kubernetes = await startKubernetes(up.folder);
    writeFileSync(
      join(up.folder, 'policy.yaml'),
      `version: 1
images: ["${up.registry}/webshop*"]
agent: { issuer: "${up.issuer}", subjectRegExp: "agent:code-(writer|fixer)" }
negatives: { from: "${up.issuer}/negatives", signer: { issuer: "${up.issuer}", subject: "evidence:${up.registry}" } }
`,
    );
    const images = new ReviewedImages(up);
    [good, unseen, bad] = [await images.signed(), await images.signed(), await images.signed()];
    for (const image of [good, unseen]) await images.review('approve', image);
    const tenant = { name: 'tenant', labels: { admission: 'skip' } };
    await kubernetes.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: tenant });
    webhook = await startWebhook(up, { policies: ['policy.yaml'] });
    await registerWebhook(kubernetes, webhook);
  }, 90_000);
  afterAll(async () => {
    await webhook?.stop();
    await kubernetes?.stop();
    await up?.stop();
  });

  const post = (image: string, namespace = 'tenant') => {
    named += 1;
    return kubernetes.request('POST', `/api/v1/namespaces/${namespace}/pods`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${named}` },
      spec: { containers: [{ name: 'web', image }] },
    });
  };
  const said = ({ status, body }: KubernetesAnswer) => (status < 400 ? `${status}` : String(body.message));

  test('two replicas with the same files answer alike', async () => {
    const other = await startWebhook(up, { policies: ['policy.yaml'] });
    onTestFinished(() => other.stop());
    const asked = (image: string) => ({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u',
        kind: { group: '', version: 'v1', kind: 'Pod' },
        resource: { group: '', version: 'v1', resource: 'pods' },
        namespace: 'tenant',
        operation: 'CREATE',
        userInfo: {},
        object: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'a' },
          spec: { containers: [{ name: 'a', image }] },
        },
      },
    });
    for (const image of [good, bad, `${up.registry}/none:1`, 'x']) {
      const [one, two] = await Promise.all([webhook, other].map(({ url }) => ask(`${url}/validate`, asked(image))));
      expect(one).toEqual(two);
    }
  });

  test('the registry and the list are down: nothing new comes in, and afterwards the good Pod does without a hand', async () => {
    expect(said(await post(good))).toBe('201');
    const port = Number(new URL(up.issuer).port);
    const ended = new Promise((resolve) => up.process.once('exit', resolve));
    up.process.kill('SIGTERM');
    await ended;
    // What was judged a moment ago is remembered; what was not cannot be judged.
    expect(said(await post(good))).toBe('201');
    expect(said(await post(unseen))).toContain('registry.unreachable');
    expect(said(await post(unseen.replace(/@.*/, ':1')))).toContain('registry.unreachable');
    expect(said(await post('registry.k8s.io/pause:3.10', 'kube-system'))).toBe('201');
    up = await startColophon({ folder: up.folder, port });
    await expect.poll(async () => said(await post(unseen)), { interval: 500 }).toBe('201');
  });

  test('the webhook is down: a system Pod comes in, a tenant’s label opens nothing, and afterwards all is as before', async () => {
    const port = Number(new URL(webhook.url).port);
    const spec = { containers: [{ name: 'web', image: good }] };
    const podTemplate = { metadata: { labels: { app: 'web' } }, spec };
    const make = async (collection: string, object: object) => {
      const made = await kubernetes.request('POST', `${collection}`, object);
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      return `${collection}/${made.body.metadata.name}`;
    };
    const core = '/api/v1/namespaces/tenant';
    const pod = await make(`${core}/pods`, {
      metadata: { name: 'held', finalizers: ['colophon.example/held'] },
      spec,
    });
    const template = await make(`${core}/podtemplates`, { metadata: { name: 'held' }, template: podTemplate });
    const deployment = await make('/apis/apps/v1/namespaces/tenant/deployments', {
      metadata: { name: 'web' },
      spec: { selector: { matchLabels: { app: 'web' } }, template: podTemplate },
    });
    const cronJob = await make('/apis/batch/v1/namespaces/tenant/cronjobs', {
      metadata: { name: 'nightly' },
      spec: {
        schedule: '0 3 * * *',
        jobTemplate: { spec: { template: { ...podTemplate, spec: { ...spec, restartPolicy: 'Never' } } } },
      },
    });
    await webhook.kill();
    expect(said(await post('registry.k8s.io/pause:3.10', 'kube-system'))).toBe('201');
    expect(said(await post(bad))).toContain('failed calling webhook');
    expect(said(await post(good))).toContain('failed calling webhook');
    // What runs goes on: nothing of it brings an image.
    for (const [path, change, answer] of [
      [pod, { metadata: { labels: { a: 'b' } } }, '200'],
      [pod, { metadata: { finalizers: [] } }, '200'],
      [deployment, { metadata: { annotations: { a: 'b' } }, spec: { replicas: 3 } }, '200'],
      [pod, { spec: { containers: [{ name: 'web', image: bad }] } }, 'failed calling webhook'],
      [deployment, { spec: { template: { metadata: { labels: { b: 'c' } } } } }, 'failed calling webhook'],
      [template, { metadata: { labels: { a: 'b' } } }, 'failed calling webhook'],
      [cronJob, { metadata: { labels: { a: 'b' } } }, '200'],
      [cronJob, { spec: { suspend: true } }, 'failed calling webhook'],
    ] as const) {
      const type = { contentType: 'application/strategic-merge-patch+json' };
      expect(said(await kubernetes.request('PATCH', path, change, type)), path).toContain(answer);
    }
    webhook = await startWebhook(up, { policies: ['policy.yaml'], port });
    await expect.poll(async () => said(await post(good)), { interval: 500 }).toBe('201');
    expect(said(await post(bad))).toContain('admission.review_missing');
  });

  test('a policy that is broken while the webhook is down lets nothing in', async () => {
    const port = Number(new URL(webhook.url).port);
    const file = join(up.folder, 'broken.yaml');
    writeFileSync(file, 'version: 1\nimages: ["**"]\n');
    await webhook.stop();
    await expect(startWebhook(up, { policies: ['policy.yaml', 'broken.yaml'], port })).rejects.toThrow(
      'policy.field_missing',
    );
    expect(said(await post(good))).toContain('failed calling webhook');
    webhook = await startWebhook(up, { policies: ['policy.yaml'], port });
  });
});

/** What a replica answers. The test's own authority is not the machine's. */
function ask(url: string, body: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const asked = httpsRequest(url, { method: 'POST', rejectUnauthorized: false, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(JSON.parse(text)));
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(body));
  });
}
