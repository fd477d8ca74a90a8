import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterClient, clusterConnection } from '@colophon/cluster';
import { keepCertificates } from '@colophon/webhook/certificates';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ManifestDocument, manifestProblems } from './kubernetes-manifest.ts';
import { isKubernetesMissing, type KubernetesServer, startKubernetes } from './kubernetes-server.ts';
import { isMissing, run } from './programs.ts';

const DEPLOY = join(import.meta.dirname, '../deploy');
const CHART = join(DEPLOY, 'helm/colophon-admission');

describe.skipIf(isMissing('helm') || isKubernetesMissing())('the chart of the admission webhook', () => {
  let folder: string;
  let kubernetes: KubernetesServer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'colophon-helm-'));
    kubernetes = await startKubernetes(folder);
    const labels = {
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/warn': 'restricted',
    };
    for (const name of ['colophon-system', 'security']) await kubernetes.createNamespace(name, labels);
  }, 90_000);
  afterAll(async () => {
    await kubernetes?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const template = async (namespace: string, values: object = {}) => {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const args = ['template', 'colophon-admission', CHART, '--namespace', namespace, '--values', file];
    return run('helm', args, { env: { HOME: folder } });
  };
  const chart = async (namespace: string, values: object = {}) => {
    const { code, stdout, stderr } = await template(namespace, values);
    expect([code, stderr]).toEqual([0, '']);
    return stdout.replace(/^---\n/, '');
  };

  const settingsIn = (objects: readonly ManifestDocument[]) => {
    const settings = objects.find((one) => nameOf(one) === 'ConfigMap colophon-admission') as ManifestDocument;
    return (settings['data'] as Record<string, Record<string, unknown>>)['admission.yaml'];
  };

  test('has the objects of the manifest', async () => {
    const manifest = readFileSync(join(DEPLOY, 'kubernetes/admission.yaml'), 'utf8');
    // Helm makes the namespace itself, and names the Job by the revision.
    const shipped = objectsIn(manifest).filter(({ kind }) => kind !== 'Namespace');
    const made = objectsIn((await chart('colophon-system')).replace('certificates-1\n', 'certificates\n'));
    expect(made.map(nameOf).toSorted()).toEqual(shipped.map(nameOf).toSorted());
    for (const object of shipped) {
      expect(made.find((one) => nameOf(one) === nameOf(object))).toEqual(object);
    }
  });

  test.each([
    ['its defaults', {}],
    [
      'every value',
      {
        mode: 'enforce',
        policies: [
          { file: 'a.yaml', text: 'version: 1\n' },
          { file: 'b.yml', text: 'version: 1\nname: "b: #c"\n' },
        ],
        excludedNamespaces: ['kube-system', 'security', 'registry'],
        trust: { configMap: 'roots', name: 'other', clientCertificates: 'api-server.pem' },
        negatives: null,
        registryCredentials: 'registry-credentials',
        pullSecrets: [{ namespace: 'security', secrets: ['shop-registry', 'other'] }],
        predicateBase: 'https://acme.example/',
        claimArc: '1.3.6.1.4.1.99999.1',
        replicas: 1,
        priorityClassName: 'high',
        image: { repository: 'ghcr.io/acme/colophon', tag: '9', pullSecrets: ['pull'] },
        resources: { limits: { memory: '2Gi' } },
        networkPolicy: {
          apiServers: [{ ipBlock: { cidr: '10.0.0.0/28' } }],
          metrics: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
        },
        certificates: { schedule: '0 * * * *', lifetime: '30d' },
      },
    ],
  ])('with %s is taken by an API server, and nothing is warned of', async (_title, values) => {
    expect(await manifestProblems(kubernetes, await chart('security', values), 'security')).toEqual([]);
  });

  test.each([
    [{}, 'audit', 'Ignore'],
    [{ mode: 'enforce' }, 'enforce', 'Fail'],
    [{ mode: 'enforce', failurePolicy: 'Ignore' }, 'enforce', 'Ignore'],
  ])('with %j decides in mode %s, and an outage is %s', async (values, mode, failurePolicy) => {
    const objects = objectsIn(await chart('security', values));
    const webhooks = objects.flatMap(({ webhooks = [] }) => webhooks as ReadonlyArray<Record<string, unknown>>);
    expect(webhooks.map((webhook) => webhook['failurePolicy'])).toEqual([failurePolicy, failurePolicy]);
    const settings = objects.find((one) => nameOf(one) === 'ConfigMap colophon-admission');
    const namespaces = { exclude: ['kube-system', 'kube-node-lease', 'security'] };
    expect(settings).toMatchObject({ data: { 'admission.yaml': { mode, namespaces } } });
    for (const webhook of webhooks) {
      expect(webhook['namespaceSelector']).toEqual({
        matchExpressions: [
          {
            key: 'kubernetes.io/metadata.name',
            operator: 'NotIn',
            values: ['kube-system', 'kube-node-lease', 'security'],
          },
        ],
      });
    }
  });

  test.each([[[]], [['registry', 'kube-system', 'registry']]])(
    'never waits for itself with the excluded namespaces %j',
    async (excludedNamespaces) => {
      const objects = objectsIn(await chart('security', { excludedNamespaces }));
      const names = ['kube-system', 'kube-node-lease', ...new Set(excludedNamespaces), 'security'];
      const exclude = [...new Set(names)];
      expect(settingsIn(objects)?.['namespaces']).toEqual({ exclude });
      const webhooks = objects.flatMap(({ webhooks = [] }) => webhooks as ReadonlyArray<Record<string, unknown>>);
      expect(webhooks).toHaveLength(2);
      for (const { namespaceSelector } of webhooks) {
        expect(namespaceSelector).toMatchObject({ matchExpressions: [{ operator: 'NotIn', values: exclude }] });
      }
    },
  );

  test('reads the pull secrets that are named, in their namespaces, and no others', async () => {
    const pullSecrets = [
      { namespace: 'shop', secrets: ['shop-registry'] },
      { namespace: 'bank', secrets: ['one', 'two'], serviceAccounts: ['web'] },
    ];
    const objects = objectsIn(await chart('security', { pullSecrets, predicateBase: 'https://acme.example/' }));
    const settings = objects.find((one) => nameOf(one) === 'ConfigMap colophon-admission');
    expect(settings).toMatchObject({
      data: {
        'admission.yaml': { pullSecrets: { namespaces: ['shop', 'bank'] }, predicateBase: 'https://acme.example/' },
      },
    });
    const roles = objects.filter((one) => nameOf(one) === 'Role colophon-admission-pull-secrets');
    expect(roles.map(({ metadata, rules }) => [metadata.namespace, rules])).toEqual(
      pullSecrets.map(({ namespace, secrets, serviceAccounts = ['default'] }) => [
        namespace,
        [
          { apiGroups: [''], resources: ['secrets'], resourceNames: secrets, verbs: ['get'] },
          { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: serviceAccounts, verbs: ['get'] },
        ],
      ]),
    );
    const bindings = objects.filter((one) => nameOf(one) === 'RoleBinding colophon-admission-pull-secrets');
    expect(bindings.map(({ metadata, subjects }) => [metadata.namespace, subjects])).toEqual(
      pullSecrets.map(({ namespace }) => [
        namespace,
        [{ kind: 'ServiceAccount', name: 'colophon-admission', namespace: 'security' }],
      ]),
    );
  });

  test('asks no list of rejections where the values say null, as they advise', async () => {
    expect(readFileSync(join(CHART, 'values.yaml'), 'utf8')).toMatch(/null where there is none\.\nnegatives:/);
    expect(settingsIn(objectsIn(await chart('security')))).toHaveProperty('negatives');
    expect(settingsIn(objectsIn(await chart('security', { negatives: null })))).not.toHaveProperty('negatives');
  });

  test.each([
    [{ trust: { configMap: 'x: {y' } }],
    [{ trust: { name: 'x: {y' } }],
    [{ registryCredentials: 'x: {y' }],
    [{ image: { repository: 'x: {y' } }],
    [{ image: { repository: 'ghcr.io/acme/colophon@sha256:1' } }],
    [{ image: { tag: 'x y' } }],
    [{ image: { pullSecrets: ['x: {y'] } }],
    [{ image: { pullSecrets: ['one', 'one'] } }],
    [{ negatives: { from: 'https://x.example', signer: {}, more: 1 } }],
    [{ negatives: { maxAge: '15minutes' } }],
    [{ certificates: { lifetime: '5d' } }],
    [{ certificates: { lifetime: '398d' } }],
    [{ certificates: { schedule: null } }],
    [{ policies: null }],
    [{ mode: null }],
    [{ image: { repository: null } }],
  ])('is not made with the text %j', async (values) => {
    const { code, stderr } = await template('security', values);
    expect([code, stderr]).toEqual([1, expect.stringContaining("values don't meet the specifications of the schema")]);
  });

  test('every text stays a text that YAML would take for something else', async () => {
    const values = {
      trust: { configMap: '123' },
      registryCredentials: 'true',
      pullSecrets: [{ namespace: '1e3', secrets: ['0x1f'] }],
      image: { repository: '5000', tag: '9', pullSecrets: ['null'] },
      predicateBase: '123',
      replicas: 1_000_000,
    };
    await kubernetes.createNamespace('1e3');
    await kubernetes.createNamespace('404');
    const text = await chart('404', values);
    expect(await manifestProblems(kubernetes, text, '404')).toEqual([]);
    expect(podIn(text).volumes).toMatchObject([
      { name: 'config' },
      { name: 'policies' },
      { configMap: { name: '123' } },
      { name: 'tls' },
      { secret: { secretName: 'true' } },
      { name: 'data' },
      { name: 'tmp' },
    ]);
  });

  test.each([
    ['pullSecrets', [1, 2].map((n) => ({ namespace: 'shop', secrets: [`s${n}`] })), 'two entries of namespace shop'],
    ['policies', [1, 2].map(() => ({ file: 'a.yaml', text: 'version: 1' })), 'two entries of file a.yaml'],
  ])('%s name everything once', async (name, entries, message) => {
    const { code, stderr } = await template('security', { [name]: entries });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${name}: ${message}`)]);
  });

  test('is not made where its namespace was forgotten, which would leave the Pods of default alone', async () => {
    const { code, stderr } = await template('default');
    expect([code, stderr]).toEqual([1, expect.stringContaining('--namespace colophon-system --create-namespace')]);
  });

  test('a policy is taken as it stands', async () => {
    const policies = [
      { file: 'indented.yaml', text: '  version: 1\n  name: "a: #b"\n\n  images: ["**"]\n' },
      { file: 'comment.yaml', text: '\n# {{ .Values }}\nversion: 1\n' },
    ];
    const made = (await chart('security', { policies })).split(/^---$/m).map((part) => parse(part));
    const { data } = made.find((one) => nameOf(one) === 'ConfigMap colophon-admission-policies');
    expect(Object.values(data).map((text) => parse(text as string))).toEqual(policies.map(({ text }) => parse(text)));
  });

  test('names the authority of who may call, where there is one', async () => {
    const listen = async (trust: object) => {
      return settingsIn(objectsIn(await chart('security', { trust })))?.['listen'];
    };
    expect(await listen({})).not.toHaveProperty('clientCertificates');
    expect(await listen({ clientCertificates: 'api-server.pem' })).toMatchObject({
      clientCertificates: '/trust/api-server.pem',
    });
  });

  test('lets in who is named, and has the network policy of the manifest', async () => {
    const policyOf = async (networkPolicy: object) =>
      objectsIn(await chart('colophon-system', { networkPolicy })).find(({ kind }) => kind === 'NetworkPolicy');
    const apiServers = [{ ipBlock: { cidr: '10.0.0.0/28' } }];
    const metrics = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }];
    expect(await policyOf({ metrics })).toBeUndefined();
    expect(await policyOf({ apiServers })).toMatchObject({
      spec: { policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 8443 }], from: apiServers }] },
    });
    const manifest = readFileSync(join(DEPLOY, 'kubernetes/admission.yaml'), 'utf8');
    const uncommented = manifest.replace(/^# apiVersion: networking(?:.*\n)+?# ---$/m, (lines) =>
      lines.replace(/^# /gm, ''),
    );
    const others = uncommented.split(/^---$/m).slice(1).join('---');
    expect(await manifestProblems(kubernetes, others, 'colophon-system')).toEqual([]);
    const shipped = objectsIn(uncommented).find(({ kind }) => kind === 'NetworkPolicy');
    expect(await policyOf({ apiServers, metrics })).toEqual(shipped);
  });

  test.each([
    ['system-node-critical', ['system-node-critical']],
    ['high', undefined],
    ['', undefined],
  ])('of the class “%s” has the Pods of the quota %s', async (priorityClassName, values) => {
    const text = await chart('colophon-system', { priorityClassName });
    expect(podIn(text).priorityClassName).toBe(priorityClassName || undefined);
    const quota = objectsIn(text).find(({ kind }) => kind === 'ResourceQuota');
    if (values === undefined) expect(quota).toBeUndefined();
    else expect(quota).toMatchObject({ spec: { scopeSelector: { matchExpressions: [{ values }] } } });
  });

  test.each([
    [{ priorityClassName: 'High' }],
    [{ networkPolicy: { apiServers: ['10.0.0.0/28'] } }],
    [{ networkPolicy: { apiServers: [{}] } }],
    [{ trust: { clientCertificates: '../tls/tls.crt' } }],
    [{ mode: 'off' }],
    [{ failurePolicy: 'Retry' }],
    [{ policies: [] }],
    [{ policies: [{ file: 'a.txt', text: 'x' }] }],
    [{ excludedNamespaces: ['*'] }],
    [{ modee: 'enforce' }],
    [{ pullSecrets: [{ namespace: 'shop' }] }],
    [{ pullSecrets: [{ namespace: 'shop', secrets: ['A b'] }] }],
    [{ pullSecrets: [{ namespace: 'shop', secrets: ['a'], serviceAccounts: [] }] }],
  ])('is not made with %j', async (values) => {
    const { code, stderr } = await template('security', values);
    expect([code, stderr]).toEqual([1, expect.stringContaining("values don't meet the specifications of the schema")]);
  });

  test('is installed and upgraded, and the authority of its webhooks stays', async () => {
    const helm = async (...args: string[]) => {
      const env = { HOME: folder, KUBECONFIG: kubernetes.kubeconfig() };
      const ran = await run('helm', [...args, 'colophon-admission', CHART, '--namespace', 'colophon-system'], { env });
      expect([ran.code, ran.stderr]).toEqual([0, '']);
    };
    const configuration = async (kind: string) => {
      const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/colophon-admission`;
      const { failurePolicy, clientConfig } = (await kubernetes.request('GET', path)).body.webhooks[0];
      return { failurePolicy, caBundle: clientConfig.caBundle };
    };
    await helm('install');
    expect(await configuration('validating')).toEqual({ failurePolicy: 'Ignore', caBundle: undefined });
    writeFileSync(join(folder, 'token'), kubernetes.tokens.admin);
    cpSync(kubernetes.caFile, join(folder, 'ca.crt'));
    const { hostname, port } = new URL(kubernetes.url);
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const client = new ClusterClient(clusterConnection(undefined, env, { folder }));
    const names = {
      service: 'colophon-admission',
      secret: 'colophon-admission-tls',
      configuration: 'colophon-admission',
    };
    const wish = { namespace: 'colophon-system', ...names, lifetimeSeconds: 90 * 86_400 };
    await keepCertificates(client, wish, { now: () => new Date() });
    const { caBundle } = await configuration('validating');
    expect(caBundle).toMatch(/^[A-Za-z0-9+/=]+$/);
    await helm('upgrade', '--set', 'mode=enforce');
    for (const kind of ['validating', 'mutating']) {
      expect(await configuration(kind)).toEqual({ failurePolicy: 'Fail', caBundle });
    }
    const jobs = await kubernetes.request('GET', '/apis/batch/v1/namespaces/colophon-system/jobs');
    expect(jobs.body.items.map(({ metadata }: ManifestDocument) => metadata.name)).toContain(
      'colophon-admission-certificates-2',
    );
  });

  test('is one that helm finds nothing wrong with', async () => {
    const { code, stdout } = await run('helm', ['lint', '--strict', CHART], { env: { HOME: folder } });
    expect(code, stdout).toBe(0);
  });
});

/** The objects of a manifest; what stands in a ConfigMap as YAML is read too. */
function objectsIn(text: string): ManifestDocument[] {
  return text.split(/^---$/m).map((part) => {
    const document = parse(part);
    if (document.kind !== 'ConfigMap') return document;
    const data = Object.entries(document.data as Record<string, string>).map(([name, yaml]) => [name, parse(yaml)]);
    return { ...document, data: Object.fromEntries(data) };
  });
}

/** The Pods of the webhook. */
function podIn(text: string): { readonly volumes: readonly object[]; readonly priorityClassName?: string } {
  const deployment = objectsIn(text).find(({ kind }) => kind === 'Deployment') as ManifestDocument;
  return (deployment['spec'] as { template: { spec: ReturnType<typeof podIn> } }).template.spec;
}

function nameOf({ kind, metadata }: ManifestDocument): string {
  return `${kind} ${metadata.name}`;
}
