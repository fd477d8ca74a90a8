import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { freePort } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type AdmissionWebhook, registerWebhook, startWebhook } from './admission-webhook.ts';
import { type Installation, startColophon } from './colophon-up.ts';
import {
  isKubernetesMissing,
  type KubernetesAnswer,
  type KubernetesServer,
  startKubernetes,
} from './kubernetes-server.ts';
import { findProgram, isMissing, run } from './programs.ts';
import { GOOD_REVIEW, OTHER_COMMIT } from './review-predicates.ts';
import { ReviewedImages } from './reviewed-images.ts';

describe.skipIf(isKubernetesMissing() || isMissing('crane'))('admission in a cluster, by a real API server', () => {
  let up: Installation;
  let kubernetes: KubernetesServer;
  let webhook: AdmissionWebhook;
  let proxy: ChildProcess | undefined;
  let images: ReviewedImages;
  let good: string;
  let named = 0;

  beforeAll(async () => {
    up = await startColophon();
    kubernetes = await startKubernetes(up.folder, { showsCertificate: true });
    writeFileSync(join(up.folder, 'policy.yaml'), policyText(''));
    images = new ReviewedImages(up);
    good = await images.signed();
    await images.review('approve', good);
    for (const name of ['shop', 'colophon-system']) await kubernetes.createNamespace(name);
    const port = await freePort();
    proxy = spawn(findProgram('kubectl') as string, ['proxy', '--port', `${port}`], {
      env: { ...process.env, KUBECONFIG: kubernetes.kubeconfig() },
      stdio: 'ignore',
    });
    const more = `cluster: { server: "http://127.0.0.1:${port}" }\n`;
    webhook = await startWebhook(up, { policies: ['policy.yaml'], more });
    await registerWebhook(kubernetes, webhook);
  }, 90_000);
  afterAll(async () => {
    await webhook?.stop();
    proxy?.kill();
    await kubernetes?.stop();
    await up?.stop();
  });

  const policyText = (more: string) => `version: 1
name: shop
images: ["${up.registry}/webshop*"]
agent: { issuer: "${up.issuer}", subjectRegExp: "agent:code-(writer|fixer)" }
negatives: { from: "${up.issuer}/negatives", signer: { issuer: "${up.issuer}", subject: "evidence:${up.registry}" } }
${more}`;

  const podOf = (spec: object, metadata: object = {}) => {
    named += 1;
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${named}`, ...metadata }, spec };
  };
  const running = (image: string, metadata?: object) => podOf({ containers: [{ name: 'web', image }] }, metadata);
  const post = (object: object, { query = '', in: where = 'shop' } = {}) =>
    kubernetes.request('POST', `/api/v1/namespaces/${where}/pods${query}`, object);
  const refused = ({ status, body }: KubernetesAnswer) => (status === 403 ? String(body.message) : `status ${status}`);
  /** As a kubelet reports it. */
  const setStatus = async (pod: string, imageID: string) => {
    const containerStatuses = [{ name: 'web', image: imageID, imageID, ready: true, restartCount: 0, state: {} }];
    const path = `/api/v1/namespaces/shop/pods/${pod}/status`;
    const status = { status: { phase: 'Running', containerStatuses } };
    const patched = await kubernetes.request('PATCH', path, status, { contentType: 'application/merge-patch+json' });
    expect(patched.status, JSON.stringify(patched.body)).toBe(200);
  };

  const eventsOf = async (kind: string) => {
    const { body } = await kubernetes.request('GET', '/apis/events.k8s.io/v1/namespaces/shop/events');
    const events: Array<{ reason: string; regarding: { kind: string; name: string } }> = body.items;
    return events
      .filter(({ regarding }) => regarding.kind === kind)
      .map(({ reason, regarding }) => `${reason} ${regarding.name}`);
  };
  const tagOf = (image: string) => image.replace(/@.*/, ':1');

  test('a good image comes in, and a tag is pinned to the digest that was judged', async () => {
    const { status, body } = await post(running(tagOf(good)));
    expect(status).toBe(201);
    expect(body.spec.containers[0].image).toBe(`${tagOf(good)}@${good.split('@')[1]}`);
    const byDigest = await post(running(good));
    expect([byDigest.status, byDigest.body.spec.containers[0].image]).toEqual([201, good]);
  });

  test.each<[string, () => Promise<string>, string]>([
    ['without an attestation', () => images.signed(), 'admission.review_missing'],
    ['without a signature', () => images.unsigned(), 'admission.no_signature'],
    ['with an empty reviewer', () => reviewed({ human_reviewer: '' }), 'admission.reviewer_empty'],
    ['with a blank reviewer', () => reviewed({ human_reviewer: ' ' }), 'admission.reviewer_blank'],
    ['with a reviewer that is null', () => reviewed({ human_reviewer: null }), 'admission.reviewer_null'],
    ['without a time of the review', () => reviewed({ review_timestamp: undefined }), 'admission.timestamp_missing'],
    ['of an outsider', () => reviewed({}, { agent: 'stranger' }), 'admission.agent_not_approved'],
    ['reviewed by the agent itself', () => reviewed({}, {}, { by: 'code-writer' }), 'admission.review_signed_by_agent'],
    ['reviewed at another commit', () => reviewed({ commit_sha: OTHER_COMMIT }), 'admission.review_commit_mismatch'],
    [
      'with a review of another type',
      () => reviewed({}, {}, { type: 'https://example.com/agent-review/v1' }),
      'admission.review_missing',
    ],
    ['that no policy covers', async () => good.replace('webshop', 'other'), 'admission.image_not_covered'],
    ['that is not there', async () => `${up.registry}/webshop-none:1`, 'registry.not_found'],
  ])('an image %s stays out, and its user reads why', async (_title, make, code) => {
    const image = await make();
    expect(refused(await post(running(image)))).toContain(`${code}:`);
  });

  const reviewed = async (change: object, signed: object = {}, by: object = {}) => {
    const image = await images.signed(signed);
    await images.attest(image, { ...GOOD_REVIEW, ...change }, by);
    return image;
  };

  test('the review of another image does nothing, nor does that of an index for what is in it', async () => {
    const other = await images.signed();
    await images.review('approve', other);
    const unreviewed = await images.signed();
    const index = `${up.registry}/webshop-index:1`;
    const made = await run('crane', ['index', 'append', '-m', unreviewed, '-t', index], { env: up.env });
    expect(made.code, made.stderr).toBe(0);
    const digest = (await run('crane', ['digest', index], { env: up.env })).stdout.trim();
    const signedIndex = `${up.registry}/webshop-index@${digest}`;
    expect(refused(await post(running(signedIndex)))).toContain('admission.no_signature');
    expect(refused(await post(running(unreviewed)))).toContain('admission.review_missing');
  });

  test('every place of an image is looked at', async () => {
    const bad = await images.unsigned();
    const spec = { containers: [{ name: 'web', image: good }] };
    const init = await post(podOf({ ...spec, initContainers: [{ name: 'setup', image: bad }] }));
    expect(refused(init)).toContain(`spec.initContainers[setup] ${bad}: admission.no_signature`);
    const volumes = [{ name: 'model', image: { reference: bad, pullPolicy: 'IfNotPresent' } }];
    expect(refused(await post(podOf({ ...spec, volumes })))).toContain('spec.volumes[model]');
    const goodVolume = await post(podOf({ ...spec, volumes: [{ name: 'model', image: { reference: tagOf(good) } }] }));
    expect(goodVolume.body.spec.volumes[0].image.reference).toContain(`@${good.split('@')[1]}`);
  });

  test('kubectl debug adds no container that would not come in', async () => {
    const pod = running(good);
    await post(pod);
    const path = `/api/v1/namespaces/shop/pods/${pod.metadata.name}/ephemeralcontainers`;
    const adding = (image: string) =>
      kubernetes.request(
        'PATCH',
        path,
        { spec: { ephemeralContainers: [{ name: 'debugger', image, targetContainerName: 'web' }] } },
        { contentType: 'application/strategic-merge-patch+json' },
      );
    expect(refused(await adding(await images.unsigned()))).toContain('spec.ephemeralContainers[debugger]');
    const added = await adding(tagOf(good));
    expect([added.status, added.body.spec?.ephemeralContainers[0].image]).toEqual([
      200,
      `${tagOf(good)}@${good.split('@')[1]}`,
    ]);
  });

  test('an update of the image is judged', async () => {
    const pod = running(good);
    await post(pod);
    const bad = await images.unsigned();
    const patch = { spec: { containers: [{ name: 'web', image: bad }] } };
    const path = `/api/v1/namespaces/shop/pods/${pod.metadata.name}`;
    const contentType = 'application/strategic-merge-patch+json';
    expect(refused(await kubernetes.request('PATCH', path, patch, { contentType }))).toContain(
      'admission.no_signature',
    );
  });

  test.each(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob'])(
    'a %s is judged, and never changed',
    async (kind) => {
      const bad = await images.unsigned();
      const workload = (image: string) => {
        named += 1;
        const labels = { app: `w-${named}` };
        const template = {
          metadata: { labels },
          spec: { containers: [{ name: 'web', image }], restartPolicy: /Job/.test(kind) ? 'Never' : 'Always' },
        };
        const spec: Record<string, unknown> = {
          Job: { template },
          CronJob: { schedule: '0 0 * * *', jobTemplate: { spec: { template } } },
        }[kind] ?? {
          selector: { matchLabels: labels },
          template,
          ...(kind === 'StatefulSet' ? { serviceName: 'x' } : {}),
        };
        return { apiVersion: /Job/.test(kind) ? 'batch/v1' : 'apps/v1', kind, metadata: { name: `w-${named}` }, spec };
      };
      const create = (image: string) => {
        const object = workload(image);
        return kubernetes.request('POST', `/apis/${object.apiVersion}/namespaces/shop/${kind.toLowerCase()}s`, object);
      };
      expect(refused(await create(bad))).toContain('admission.no_signature');
      const { status, body } = await create(tagOf(good));
      expect(status).toBe(201);
      expect(JSON.stringify(body.spec)).toContain(`"image":"${tagOf(good)}"`);
      expect(JSON.stringify(body.spec)).not.toContain('sha256:');
    },
  );

  test('another webhook that puts the tag back gains nothing', async () => {
    // Without the mutating webhook a tag reaches the validating one, as it does after such a webhook.
    await kubernetes.request(
      'DELETE',
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/colophon-admission',
    );
    onTestFinished(() => registerWebhook(kubernetes, webhook));
    await expect
      .poll(async () => refused(await post(running(tagOf(good)), { query: '?dryRun=All' })))
      .toContain('webhook.image_not_pinned');
  });

  test('a finalizer of a bad Pod from before can be removed, and a dry run leaves no decision behind', async () => {
    const bad = await images.unsigned();
    const pod = running(bad, { finalizers: ['example.com/hold'] });
    // As it came in before the webhook was there.
    const before = { ...pod, metadata: { ...pod.metadata, namespace: 'shop' } };
    await unregistered(() => post(before));
    const path = `/api/v1/namespaces/shop/pods/${pod.metadata.name}`;
    expect((await kubernetes.request('DELETE', path)).status).toBe(200);
    const decided = webhook.decisions().length;
    const removed = await kubernetes.request(
      'PATCH',
      path,
      { metadata: { finalizers: null } },
      { contentType: 'application/merge-patch+json' },
    );
    expect(removed.status).toBe(200);
    expect((await post(running(good), { query: '?dryRun=All' })).status).toBe(201);
    expect(refused(await post(running(bad), { query: '?dryRun=All' }))).toContain('admission.no_signature');
    expect(webhook.decisions()).toHaveLength(decided);
  });

  /** Pods with what an API server takes and other readers of JSON may not: each as the body of a request. */
  const hardToRead = (
    image: string,
    metadata?: object,
  ): ReadonlyArray<{ readonly name: string; readonly body: string }> => {
    const of = (container: object, spec: object = {}) => {
      const pod = podOf({ containers: [{ name: 'web', image, ...container }], ...spec }, metadata);
      return { name: pod.metadata.name, body: JSON.stringify(pod).replaceAll('"without end"', '9223372036854775807') };
    };
    const tolerations = Array.from({ length: 30 }, (_, index) => ({
      key: `k${index}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 'without end',
    }));
    const env = (value: string) => ({ env: [{ name: 'A', value }] });
    return [of({}, { tolerations }), of({ ...env('a\0b'), args: ['\0'] }), of(env('<'.repeat(1_400_000)))];
  };
  const postText = (body: string) => kubernetes.request('POST', '/api/v1/namespaces/shop/pods', body);

  test('nothing that an API server takes opens anything where a webhook that fails is ignored', async () => {
    onTestFinished(() => registerWebhook(kubernetes, webhook));
    await registerWebhook(kubernetes, webhook, { failurePolicy: 'Ignore' });
    const bad = await images.unsigned();
    for (const { body } of hardToRead(bad)) expect(refused(await postText(body))).toContain('admission.no_signature');
    for (const { body } of hardToRead(good)) expect((await postText(body)).status).toBe(201);
    expect(refused(await post(running(`${good}\0`)))).toContain('kubernetes.nul');
    // Defaults make more of it than a review may have.
    const spread = `"topologySpreadConstraints":[${Array(900_000).fill('{}').join()}]`;
    const large = JSON.stringify(running(good)).replace('"containers"', `${spread},"containers"`);
    expect(refused(await postText(large))).toContain('webhook.review_too_large');
  }, 60_000);

  test('and nothing of it keeps the finalizer of a Pod from before', async () => {
    const pods = hardToRead(await images.unsigned(), { finalizers: ['example.com/hold'] });
    const contentType = 'application/merge-patch+json';
    await unregistered(() => Promise.all(pods.map(({ body }) => postText(body))));
    for (const { name } of pods) {
      const path = `/api/v1/namespaces/shop/pods/${name}`;
      const change = (metadata: object) => kubernetes.request('PATCH', path, { metadata }, { contentType });
      expect((await change({ labels: { a: 'b' } })).status).toBe(200);
      expect((await kubernetes.request('DELETE', path)).status).toBe(200);
      expect((await change({ finalizers: null })).status).toBe(200);
    }
  }, 60_000);

  const unregistered = async (what: () => Promise<unknown>) => {
    for (const kind of ['validating', 'mutating'])
      await kubernetes.request(
        'DELETE',
        `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/colophon-admission`,
      );
    await expect
      .poll(async () => (await post(running('probe.invalid/x:1'), { query: '?dryRun=All' })).status)
      .toBe(201);
    await what();
    await registerWebhook(kubernetes, webhook);
  };

  test('a tenant’s label opens nothing, and the webhook’s own namespace is not looked at', async () => {
    const bad = await images.unsigned();
    await kubernetes.createNamespace('tenant', { admission: 'skip', 'policy.sigstore.dev/include': 'false' });
    expect(refused(await post(running(bad), { in: 'tenant' }))).toContain('admission.no_signature');
    expect((await post(running(bad), { in: 'colophon-system' })).status).toBe(201);
  });

  test('a rejection refuses the next Pod, with the admission remembered', async () => {
    const image = await images.signed();
    await images.review('approve', image);
    expect((await post(running(image))).status).toBe(201);
    const runs = running(image);
    expect((await post(runs)).status).toBe(201);
    await setStatus(runs.metadata.name, image);
    expect(webhook.decisions().at(-1)?.images[0]?.cached).toBe(true);
    await images.review('reject', image, { by: 'bob@example.com' });
    await expect
      .poll(async () => refused(await post(running(image))), { timeout: 40_000, interval: 1_000 })
      .toContain('admission.review_rejected');
    await expect
      .poll(async () => eventsOf('Pod'), { timeout: 40_000, interval: 500 })
      .toContain(`RejectedImageRuns ${runs.metadata.name}`);
  }, 100_000);

  test('a rejected image that runs is told although its repository has it no more', async () => {
    const rejected = await images.signed();
    await images.review('reject', rejected, { by: 'bob@example.com' });
    const digest = rejected.slice(rejected.indexOf('@'));
    const runs = running(good);
    expect((await post(runs)).status).toBe(201);
    await setStatus(runs.metadata.name, `${good.slice(0, good.indexOf('@'))}${digest}`);
    await expect
      .poll(async () => eventsOf('Pod'), { timeout: 60_000, interval: 500 })
      .toContain(`RejectedImageRuns ${runs.metadata.name}`);
    await expect.poll(() => webhook.metrics()).toMatch(/colophon_admission_rejected_images_running [1-9]/);
    expect(await webhook.metrics()).toMatch(/colophon_admission_undecided_images_running \d+/);
  }, 100_000);

  test('what is decided is counted and written down, with who made the Pod', async () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'a', controller: true };
    const bad = await images.unsigned();
    await post(running(bad, { ownerReferences: [owner] }));
    const decision = webhook.decisions().at(-1);
    expect(decision).toMatchObject({
      webhook: 'validate',
      admitted: false,
      object: { kind: 'Pod', owner: 'ReplicaSet/web-1' },
    });
    expect(decision?.images[0]?.reasons.map(({ code }) => code)).toContain('admission.no_signature');
    await expect.poll(async () => eventsOf('ReplicaSet')).toContain('AdmissionRefused web-1');
    const numbers = await webhook.metrics();
    expect(numbers).toMatch(/colophon_admission_reviews_total\{webhook="validate",answer="refused"\} \d+/);
    expect(numbers).toMatch(/colophon_admission_reasons_total\{code="admission.no_signature"\} \d+/);
  });

  test('a broken policy changes nothing, and the next good one counts', async () => {
    const file = join(up.folder, 'policy.yaml');
    onTestFinished(() => writeFileSync(file, policyText('')));
    writeFileSync(file, 'version: 1\nimages: ["**"]\nagent: { issuer: x }\n');
    await expect.poll(() => webhook.metrics()).toContain('colophon_configuration_in_force 0');
    expect((await post(running(good))).status).toBe(201);
    expect(refused(await post(running(await images.unsigned())))).toContain('admission.no_signature');
    writeFileSync(file, policyText('require: [{ issuer: "https://scan.example", subject: scanner }]\n'));
    await expect.poll(async () => refused(await post(running(good)))).toContain('admission.required_signature_missing');
    expect(webhook.errors()).toMatch(
      /"mode":"enforce","policies":\["shop"\],"msg":"configuration and policies were changed"/,
    );
  });

  test('an audit changes and refuses nothing, and says what it would refuse', async () => {
    const auditing = await startWebhook(up, { policies: ['policy.yaml'], mode: 'audit' });
    onTestFinished(async () => {
      await registerWebhook(kubernetes, webhook);
      await auditing.stop();
    });
    await registerWebhook(kubernetes, auditing, { failurePolicy: 'Ignore', isAudit: true });
    const bad = await images.unsigned();
    const answer = await post(running(tagOf(bad)));
    expect([answer.status, answer.body.spec.containers[0].image]).toEqual([201, tagOf(bad)]);
    expect(answer.warnings.join('\n')).toContain('would be refused: spec.containers[web]');
  });

  test('a webhook that knows its API server answers nobody else', async () => {
    const { webhookClientCaFile: clientCertificates } = kubernetes;
    const guarded = await startWebhook(up, { policies: ['policy.yaml'], clientCertificates });
    onTestFinished(async () => {
      await registerWebhook(kubernetes, webhook);
      await guarded.stop();
    });
    const review = { ca: Buffer.from(guarded.caBundle, 'base64'), method: 'POST' };
    const stranger = () =>
      new Promise((resolve) => {
        const asked = request(`${guarded.url}/validate`, review, ({ statusCode }) => resolve(statusCode));
        asked.on('error', () => resolve('refused')).end();
      });
    expect([await stranger(), await stranger()]).toEqual(['refused', 'refused']);
    await expect
      .poll(() => guarded.metrics())
      .toContain('colophon_admission_failures_total{of="client-certificate"} 2');
    expect(guarded.errors().match(/without a certificate of listen\.clientCertificates/g)).toHaveLength(1);
    await registerWebhook(kubernetes, guarded);
    expect((await post(running(good))).status).toBe(201);
    expect(refused(await post(running(await images.unsigned())))).toContain('admission.no_signature');
    expect(guarded.decisions().filter(({ object }) => object.name.startsWith('pod-'))).toHaveLength(2);
  });
});
