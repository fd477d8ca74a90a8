import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterClient, clusterConnection } from '@colophon/cluster';
import { freePort } from '@colophon/testkit';
import { EventPoster, findRejectedPods, type RejectedRun } from '@colophon/webhook';
import { keepCertificates } from '@colophon/webhook/certificates';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { loadAdmission } from '../packages/program/server/src/admission-service/admission-configuration.ts';
import { COLOPHON } from './colophon-up.ts';
import { collectionOf, type ManifestDocument, manifestProblems } from './kubernetes-manifest.ts';
import { isKubernetesMissing, type KubernetesServer, startKubernetes } from './kubernetes-server.ts';
import { findProgram, run } from './programs.ts';

const TEXT = readFileSync(join(import.meta.dirname, '../deploy/kubernetes/admission.yaml'), 'utf8');
const DOCUMENTS: readonly ManifestDocument[] = TEXT.split(/^---$/m).map((text) => parse(text));
const SECRET = '/api/v1/namespaces/colophon-system/secrets/colophon-admission-tls';
const CONFIGURATIONS = ['validating', 'mutating'].map(
  (kind) => `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/colophon-admission`,
);
const ROLE = '/apis/rbac.authorization.k8s.io/v1/namespaces/colophon-system/roles/colophon-admission-certificates';
const CLUSTER_ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/colophon-admission-certificates';
const TRUSTED_ROOT = join(
  import.meta.dirname,
  '../packages/program/cli/test/frozen/releases/0.1.0/data/trust/trusted_root.json',
);
const MERGE = { contentType: 'application/merge-patch+json' };

type Data = Readonly<Record<string, string>>;

describe.skipIf(isKubernetesMissing())('deploy/kubernetes/admission.yaml, by a real API server', () => {
  let folder: string;
  let kubernetes: KubernetesServer;
  let account: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'colophon-admission-'));
    kubernetes = await startKubernetes(folder, { limitsCriticalPods: true });
    const [namespace] = DOCUMENTS;
    await post(namespace as ManifestDocument);
    account = join(folder, 'account');
    mkdirSync(account);
  }, 90_000);
  afterAll(async () => {
    await kubernetes?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = async (document: ManifestDocument) => {
    const path = await collectionOf(kubernetes, document, 'default');
    const { status, body } = await kubernetes.request('POST', path, document);
    if (status !== 201) throw new Error(`${document.kind}: ${body.message}`);
  };

  /** A token as a Pod of this service account has it. */
  const tokenOf = async (name: string): Promise<string> => {
    const path = `/api/v1/namespaces/colophon-system/serviceaccounts/${name}/token`;
    const { body } = await kubernetes.request('POST', path, { spec: { expirationSeconds: 3600 } });
    return body.status.token;
  };

  /** The command as the Job runs it, with the files that Kubernetes puts into its Pod. */
  const keep = (lifetimeSeconds = 90 * 86_400) => {
    const { hostname, port } = new URL(kubernetes.url);
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const names = {
      service: 'colophon-admission',
      secret: 'colophon-admission-tls',
      configuration: 'colophon-admission',
    };
    const wish = { namespace: 'colophon-system', ...names, lifetimeSeconds };
    const client = new ClusterClient(clusterConnection(undefined, env, { folder: account }));
    return keepCertificates(client, wish, { now: () => new Date() });
  };

  test('is taken as it stands, and nothing is warned of', async () => {
    const others = TEXT.split(/^---$/m).slice(1).join('---');
    expect(await manifestProblems(kubernetes, others, 'colophon-system')).toEqual([]);
  });

  test.each([
    ['readOnlyRootFilesystem', 'readonlyRootFilesystem', /^400: .*unknown field ".*\.readonlyRootFilesystem"/],
    ['drop: [ALL]', 'drop: [NET_RAW]', /would violate PodSecurity .*: unrestricted capabilities/],
    ['sideEffects: NoneOnDryRun', 'sideEffects: Some', /^422: .*sideEffects/],
  ])('is not taken with %s as %s', async (right, wrong, reason) => {
    const others = TEXT.split(/^---$/m).slice(1).join('---');
    expect(others).toContain(right);
    const problems = await manifestProblems(kubernetes, others.replace(right, wrong), 'colophon-system');
    expect(problems).toEqual([expect.stringMatching(reason)]);
  });

  test('its configuration is in order, and its webhooks look at the same namespaces, by name alone', () => {
    const [settings, policies] = DOCUMENTS.filter(({ kind }) => kind === 'ConfigMap').map(({ data }) => data as Data);
    const files = mkdtempSync(join(folder, 'configuration-'));
    for (const name of ['policies', 'trust']) mkdirSync(join(files, name));
    writeFileSync(join(files, 'policies', 'production.yaml'), policies?.['production.yaml'] ?? '');
    cpSync(TRUSTED_ROOT, join(files, 'trust', 'trusted_root.json'));
    const text = settings?.['admission.yaml'] ?? '';
    writeFileSync(
      join(files, 'admission.yaml'),
      text.replaceAll(/\[\/policies|file: \/trust/g, (at) => at.replace('/', `${files}/`)),
    );
    const { rules } = loadAdmission(join(files, 'admission.yaml'), 'colophon-system');
    expect([rules.mode, rules.policies.map(({ name }) => name)]).toEqual(['audit', ['production']]);
    const webhooks = DOCUMENTS.flatMap(({ webhooks = [] }) => webhooks as ReadonlyArray<Record<string, unknown>>);
    expect(webhooks).toHaveLength(2);
    for (const webhook of webhooks) {
      expect(webhook).toMatchObject({ failurePolicy: 'Ignore', sideEffects: 'NoneOnDryRun' });
      expect(webhook['namespaceSelector']).toEqual({
        matchExpressions: [
          { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: parse(text).namespaces.exclude },
        ],
      });
      expect(webhook).not.toHaveProperty('objectSelector');
    }
  });

  describe('once applied', () => {
    let server: Server;
    const reviewed: string[] = [];

    beforeAll(async () => {
      // A webhook that only says that it was asked.
      server = createServer(async (request, response) => {
        let text = '';
        for await (const chunk of request) text += chunk;
        reviewed.push(request.url ?? '');
        const { uid } = JSON.parse(text).request;
        const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review));
      });
      await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
      const { port } = server.address() as AddressInfo;
      for (const document of DOCUMENTS.slice(1)) await post(atThisMachine(document, port));
      await kubernetes.createNamespace('shop');
      writeFileSync(join(account, 'token'), await tokenOf('colophon-admission-certificates'));
      writeFileSync(join(account, 'ca.crt'), readFileSync(kubernetes.caFile));
    });
    afterAll(() => {
      server?.closeAllConnections();
      server?.close();
    });

    /** The Service leads to this machine; the API server asks for it by the same name. */
    const atThisMachine = (document: ManifestDocument, port: number): ManifestDocument => {
      if (document.kind === 'Service') {
        return { ...document, spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] } };
      }
      if (!document.kind.endsWith('WebhookConfiguration')) return document;
      const webhooks = (document['webhooks'] as Array<{ clientConfig: { service: object } }>).map((webhook) => ({
        ...webhook,
        failurePolicy: 'Fail',
        clientConfig: { service: { ...webhook.clientConfig.service, port } },
      }));
      return { ...document, webhooks };
    };

    const serve = async () => {
      const { body } = await kubernetes.request('GET', SECRET);
      const text = (name: string) => Buffer.from(body.data[name], 'base64').toString();
      server.setSecureContext({ cert: text('tls.crt'), key: text('tls.key') });
      server.closeAllConnections();
    };
    const createPod = async () => {
      const container = { name: 'web', image: 'registry.example.com/web:1' };
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { generateName: 'web-' },
        spec: { containers: [container] },
      };
      const answer = await kubernetes.request('POST', '/api/v1/namespaces/shop/pods?dryRun=All', pod);
      return answer.status === 201 ? 'created' : String(answer.body.message);
    };

    test('no Pod is asked about before there is a certificate, and every one after', async () => {
      expect(await createPod()).toMatch(/failed calling webhook/);
      expect(await keep()).toMatchObject({ renewal: 'absent', configurations: [{ webhooks: 1 }, { webhooks: 1 }] });
      await serve();
      await expect.poll(createPod).toBe('created');
      expect(reviewed).toEqual(expect.arrayContaining(['/mutate?timeout=10s', '/validate?timeout=10s']));
    });

    test('run again it changes nothing, not even a version', async () => {
      const versions = async () =>
        Promise.all(
          [SECRET, ...CONFIGURATIONS].map(async (path) => (await kubernetes.request('GET', path)).body.metadata),
        );
      const before = await versions();
      expect(await keep()).toMatchObject({
        renewal: undefined,
        configurations: [{ changed: false }, { changed: false }],
      });
      expect(await versions()).toEqual(before);
    });

    test('while it is renewed, the old certificate and the new one are trusted', async () => {
      const { data } = (await kubernetes.request('GET', SECRET)).body;
      await kubernetes.request('PATCH', SECRET, { data: { 'tls.key': Buffer.from('x').toString('base64') } }, MERGE);
      expect(await keep()).toMatchObject({ renewal: 'unreadable' });
      const renewed = (await kubernetes.request('GET', SECRET)).body.data;
      expect(renewed['ca.crt']).not.toBe(data['ca.crt']);
      // What is served has not changed yet, and the API server connects anew.
      server.closeAllConnections();
      await expect.poll(createPod).toBe('created');
      await serve();
      await expect.poll(createPod).toBe('created');
    });

    test('runs at once end with one certificate that is trusted', async () => {
      await kubernetes.request('DELETE', SECRET);
      const runs = await Promise.all([keep(), keep(), keep()]);
      expect(runs.filter(({ renewal }) => renewal !== undefined)).toHaveLength(1);
      expect(new Set(runs.map(({ sha256 }) => sha256)).size).toBe(1);
      await serve();
      await expect.poll(createPod).toBe('created');
    });

    test('a configuration that is applied anew gets its authority back', async () => {
      const [validating = ''] = CONFIGURATIONS;
      const { body } = await kubernetes.request('GET', validating);
      const { caBundle: _lost, ...clientConfig } = body.webhooks[0].clientConfig;
      const put = { ...body, webhooks: [{ ...body.webhooks[0], clientConfig }] };
      expect((await kubernetes.request('PUT', validating, put)).status).toBe(200);
      expect(await keep()).toMatchObject({
        renewal: undefined,
        configurations: [{ changed: true }, { changed: false }],
      });
      server.closeAllConnections();
      await expect.poll(createPod).toBe('created');
    });

    test('kubectl applies the manifest again, and the authority of the webhooks stays', async () => {
      const file = join(folder, 'webhooks.json');
      const { port } = server.address() as AddressInfo;
      const items = DOCUMENTS.filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
      const list = { apiVersion: 'v1', kind: 'List', items: items.map((one) => atThisMachine(one, port)) };
      const apply = async () => {
        writeFileSync(file, JSON.stringify(list));
        const env = { KUBECONFIG: kubernetes.kubeconfig() };
        const { code, stdout, stderr } = await run('kubectl', ['apply', '--filename', file], { env });
        expect(code, stderr).toBe(0);
        return stdout;
      };
      await apply();
      for (const { webhooks } of list.items) {
        for (const webhook of webhooks as Array<Record<string, unknown>>) webhook['timeoutSeconds'] = 9;
      }
      expect(await apply()).toMatch(/^(.*colophon-admission configured\n){2}$/);
      expect(await keep()).toMatchObject({
        renewal: undefined,
        configurations: [{ changed: false }, { changed: false }],
      });
    });

    test.each<[string, string, number, string, () => Promise<unknown>]>([
      ['create', ROLE, 0, 'may not create secrets', () => kubernetes.request('DELETE', SECRET)],
      ['get', ROLE, 1, 'may not get secrets/colophon-admission-tls', async () => {}],
      ['update', ROLE, 1, 'may not update secrets/colophon-admission-tls', () => spoilSecret()],
      ['get', CLUSTER_ROLE, 0, 'may not get validatingwebhookconfigurations/colophon-admission', async () => {}],
      [
        'patch',
        CLUSTER_ROLE,
        0,
        'may not patch validatingwebhookconfigurations/colophon-admission',
        () => spoilSecret(),
      ],
    ])('without the verb %s of %s (rule %i) the command says: %s', async (verb, role, rule, message, before) => {
      const { body } = await kubernetes.request('GET', role);
      const fewer = structuredClone(body.rules);
      fewer[rule].verbs = fewer[rule].verbs.filter((one: string) => one !== verb);
      if (fewer[rule].verbs.length === 0) fewer.splice(rule, 1);
      onTestFinished(async () => {
        await kubernetes.request('PATCH', role, { rules: body.rules }, MERGE);
        await expect.poll(() => keep().then(() => 'done', String)).toBe('done');
      });
      await kubernetes.request('PATCH', role, { rules: fewer }, MERGE);
      const outcome = async () => {
        await before();
        return keep().then(
          () => 'done',
          ({ code, message: said }) => `${code}: ${said}`,
        );
      };
      // The API server learns of roles by a watch.
      await expect.poll(outcome).toContain(`cluster.forbidden: this service account ${message}`);
    });

    const spoilSecret = () =>
      kubernetes.request('PATCH', SECRET, { data: { 'tls.key': Buffer.from('x').toString('base64') } }, MERGE);

    test('neither service account may do more', async () => {
      const may = async (name: string, verb: string, resource: string, more: object = {}) => {
        const [plural, group = ''] = resource.split(/\.(.*)/);
        const resourceAttributes = { verb, group, resource: plural, ...more };
        const user = `system:serviceaccount:colophon-system:${name}`;
        const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
        const review = {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user, resourceAttributes },
        };
        return (await kubernetes.request('POST', path, review)).body.status.allowed;
      };
      const own = { namespace: 'colophon-system' };
      const hooks = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
      const [serving, certifying] = ['colophon-admission', 'colophon-admission-certificates'];
      expect(await may(serving, 'create', 'events.events.k8s.io', { namespace: 'shop' })).toBe(true);
      expect(await may(serving, 'list', 'pods')).toBe(true);
      for (const verb of ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']) {
        expect(await may(serving, verb, 'secrets', own)).toBe(false);
        expect(await may(serving, verb, hooks, { name: 'colophon-admission' })).toBe(false);
        expect(await may(certifying, verb, 'secrets', { namespace: 'shop' })).toBe(false);
        expect(await may(certifying, verb, hooks, { name: 'other' })).toBe(false);
        expect(await may(certifying, verb, 'secrets', { ...own, name: 'other' })).toBe(verb === 'create');
      }
      expect(await may(certifying, 'update', hooks, { name: 'colophon-admission' })).toBe(false);
    });

    test('its Pods are critical ones, and its quota lets them in where only such a one does', async () => {
      const deployment = DOCUMENTS.find(({ kind }) => kind === 'Deployment') as ManifestDocument;
      const { spec } = (deployment['spec'] as { template: { spec: object } }).template;
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'colophon-admission-' }, spec };
      const createIn = (namespace: string) =>
        kubernetes.request('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
      expect((await createIn('default')).body.message).toContain('insufficient quota');
      // As its controller does.
      const quota = '/api/v1/namespaces/colophon-system/resourcequotas/colophon-admission-critical-pods';
      const { hard } = (await kubernetes.request('GET', quota)).body.spec;
      await kubernetes.request('PATCH', `${quota}/status`, { status: { hard, used: { pods: '0' } } }, MERGE);
      await expect
        .poll(async () => (await createIn('colophon-system')).body)
        .toMatchObject({ spec: { priorityClassName: 'system-cluster-critical', priority: 2_000_000_000 } });
    });

    /** A client with the rights of the webhook itself. */
    const servingClient = async () => {
      const files = join(folder, 'serving');
      mkdirSync(files, { recursive: true });
      writeFileSync(join(files, 'token'), await tokenOf('colophon-admission'));
      writeFileSync(join(files, 'ca.crt'), readFileSync(kubernetes.caFile));
      const { hostname, port } = new URL(kubernetes.url);
      const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
      return new ClusterClient(clusterConnection(undefined, env, { folder: files }));
    };

    test('the webhook may post events, and two replicas post one', async () => {
      const cluster = await servingClient();
      const outcomes: string[] = [];
      const poster = (instance: string) => new EventPoster({ cluster, instance, onEvent: (one) => outcomes.push(one) });
      const occurrence = {
        regarding: { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'shop', name: 'web-7c9', uid: 'u-1' },
        reason: 'AdmissionRefused',
        images: ['registry.example.com/web:1'],
        note: `spec.containers[web] registry.example.com/web:1: ${'é'.repeat(2000)}`,
        at: new Date(),
      } as const;
      for (const replica of [poster('a'), poster('b')]) {
        replica.post([occurrence, { ...occurrence, images: ['other'], note: '' }]);
        await replica.settled();
      }
      expect(outcomes).toEqual(Array(4).fill('posted'));
      const asked = await run(
        'kubectl',
        ['events', '--namespace', 'shop', '--for', 'replicaset/web-7c9', '--output', 'json'],
        {
          env: { KUBECONFIG: kubernetes.kubeconfig() },
        },
      );
      expect([asked.code, asked.stderr]).toEqual([0, '']);
      const { items } = JSON.parse(asked.stdout) as {
        items: ReadonlyArray<{ reason: string; type: string; message: string }>;
      };
      expect(items.map(({ reason, type }) => `${type} ${reason}`)).toEqual(Array(2).fill('Warning AdmissionRefused'));
    });

    test('the webhook finds Pods that run what was rejected meanwhile', async () => {
      const digest = `sha256:${'b'.repeat(64)}`;
      const pods = '/api/v1/namespaces/shop/pods';
      const container = { name: 'web', image: 'registry.example.com/web:1' };
      const create = async (name: string, more: object, status?: object) => {
        const spec = { containers: [container], ...more };
        const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
        expect((await kubernetes.request('POST', pods, pod)).status).toBe(201);
        if (status === undefined) return;
        expect((await kubernetes.request('PATCH', `${pods}/${name}/status`, { status }, MERGE)).status).toBe(200);
      };
      // As a kubelet reports it.
      const runs = (name: string, of: string) => {
        const imageID = `registry.example.com/web@${of}`;
        return [{ ...container, name, imageID, ready: true, restartCount: 0, state: { running: {} } }];
      };
      const other = `sha256:${'c'.repeat(64)}`;
      await create('pending', {});
      await create('rejected', {}, { phase: 'Running', containerStatuses: runs('web', digest) });
      await create('other', {}, { phase: 'Running', containerStatuses: runs('web', other) });
      const initContainers = [{ ...container, name: 'migrate' }];
      const isInit = { phase: 'Pending', initContainerStatuses: runs('migrate', digest) };
      await create('still-begins', { initContainers }, isInit);
      for (const phase of ['Succeeded', 'Failed']) {
        await create(phase.toLowerCase(), {}, { phase, containerStatuses: runs('web', digest) });
      }
      const found: RejectedRun[] = [];
      const looked = await findRejectedPods({
        cluster: await servingClient(),
        excludedNamespaces: new Set(['kube-system']),
        isCovered: () => true,
        isRejected: (_image, of) =>
          of === digest ? [{ code: 'admission.review_rejected', message: 'No.' }] : undefined,
        onRejected: (one) => found.push(one),
      });
      expect(looked).toEqual({ pods: 4, images: 5, rejected: 2, undecided: 0, unknown: 2 });
      expect(found).toMatchObject([
        { pod: { namespace: 'shop', name: 'rejected' }, digest, place: 'spec.containers[web]' },
        { pod: { namespace: 'shop', name: 'still-begins' }, digest, place: 'spec.initContainers[migrate]' },
      ]);
    });

    test('a person does the same through kubectl proxy', async () => {
      const port = await freePort();
      const args = ['proxy', '--port', `${port}`, '--kubeconfig', kubernetes.kubeconfig()];
      const proxy = spawn(findProgram('kubectl') as string, args, { stdio: 'ignore' });
      onTestFinished(() => end(proxy));
      const url = `http://127.0.0.1:${port}`;
      await expect.poll(() => fetch(`${url}/readyz`).then(({ status }) => status, String)).toBe(200);
      const { code, stdout, stderr } = await run(COLOPHON, [
        'admission',
        'certificates',
        '--server',
        url,
        '--output',
        'json',
      ]);
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, secret: 'colophon-admission-tls', renewed: false });
    });
  });
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
