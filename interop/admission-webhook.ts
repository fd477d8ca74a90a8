import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@colophon/testkit';
import { parse } from 'yaml';
import { COLOPHON, type Installation } from './colophon-up.ts';
import type { KubernetesServer } from './kubernetes-server.ts';
import { run } from './programs.ts';

/** A real `colophon admission serve`, which a real API server calls. */
export type AdmissionWebhook = {
  readonly url: string;
  readonly caBundle: string;
  /** What it wrote so far: decisions, as lines of its log. */
  decisions(): readonly Decision[];
  /** Its numbers, in Prometheus' format. */
  metrics(): Promise<string>;
  readonly process: ChildProcess;
  readonly errors: () => string;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

export type Decision = {
  readonly id: string;
  readonly webhook: string;
  readonly admitted: boolean;
  readonly object: { readonly kind: string; readonly name: string; readonly owner?: string };
  readonly reasons: ReadonlyArray<{ readonly code: string }>;
  readonly images: ReadonlyArray<{
    readonly place: string;
    readonly image: string;
    readonly admitted: boolean;
    readonly cached: boolean;
    readonly reasons: ReadonlyArray<{ readonly code: string }>;
  }>;
};

const READY_MS = 20_000;

export type WebhookSettings = {
  readonly mode?: 'enforce' | 'audit';
  readonly policies: readonly string[];
  readonly exclude?: readonly string[];
  /** More lines of its configuration file. */
  readonly more?: string;
  /** Folder of its files; those of `up` when absent. */
  readonly folder?: string;
  readonly port?: number;
  /** PEM file of the authority of who may call; anybody may when absent. */
  readonly clientCertificates?: string;
};

/** Starts it and waits until it answers. */
export async function startWebhook(
  up: Installation,
  {
    mode = 'enforce',
    policies,
    exclude = ['kube-system', 'colophon-system'],
    more = '',
    folder = up.folder,
    port,
    clientCertificates,
  }: WebhookSettings,
): Promise<AdmissionWebhook> {
  const [chosen, operations] = [port ?? (await freePort()), await freePort()];
  await makeCertificate(folder);
  const file = join(folder, `admission-${chosen}.yaml`);
  writeFileSync(
    file,
    `listen:
  address: 127.0.0.1
  port: ${chosen}
  drainSeconds: 0
  tls: { certificate: webhook.pem, key: "file:webhook.key" }
${clientCertificates === undefined ? '' : `  clientCertificates: ${clientCertificates}\n`}\
operations: { address: 127.0.0.1, port: ${operations} }
trust: { roots: ["${join(up.trust, 'trusted_root.json')}"] }
policies: ${JSON.stringify(policies)}
mode: ${mode}
namespaces: { exclude: ${JSON.stringify(exclude)} }
data: admission-data
${more}`,
  );
  const child = spawn(COLOPHON, ['admission', 'serve', '--config', file], { env: { ...process.env, ...up.env } });
  let [said, lines] = ['', ''];
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  child.stdout.on('data', (chunk) => {
    lines += chunk;
  });
  const page = (path: string) => fetch(`http://127.0.0.1:${operations}${path}`);
  for (const begun = Date.now(); ; await delay(50)) {
    const isReady = await page('/readyz')
      .then(({ ok }) => ok)
      .catch(() => false);
    if (isReady) break;
    if (child.exitCode !== null || Date.now() - begun > READY_MS) throw new Error(`the webhook is not ready: ${said}`);
  }
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const end = async (signal: 'SIGINT' | 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  return {
    url: `https://127.0.0.1:${chosen}`,
    caBundle: readFileSync(join(folder, 'webhook-ca.pem')).toString('base64'),
    decisions: () =>
      lines
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    metrics: async () => (await page('/metrics')).text(),
    process: child,
    errors: () => said,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
  };
}

async function makeCertificate(folder: string): Promise<void> {
  const key = '-algorithm EC -pkeyopt ec_paramgen_curve:P-256';
  const script = `set -e; [ -e webhook.pem ] && exit 0
    openssl genpkey ${key} -out webhook-ca.key; openssl req -x509 -new -key webhook-ca.key -subj /CN=webhook-ca -days 2 -out webhook-ca.pem
    openssl genpkey ${key} -out webhook.key; openssl req -new -key webhook.key -subj /CN=webhook -out webhook.csr
    printf 'subjectAltName=IP:127.0.0.1' >webhook.ext
    openssl x509 -req -in webhook.csr -CA webhook-ca.pem -CAkey webhook-ca.key -CAcreateserial -days 2 -extfile webhook.ext -out webhook.pem`;
  const { code, stderr } = await run('bash', ['-c', script], { cwd: folder });
  if (code !== 0) throw new Error(stderr);
}

/** Of the shipped manifest. */
const MATCH_CONDITIONS = readFileSync(join(import.meta.dirname, '../deploy/kubernetes/admission.yaml'), 'utf8')
  .split(/^---$/m)
  .map((document) => parse(document))
  .find(({ kind }) => kind === 'ValidatingWebhookConfiguration').webhooks[0].matchConditions;

const OPERATIONS = ['CREATE', 'UPDATE'];
const POD_RULES = [
  { apiGroups: [''], apiVersions: ['v1'], operations: OPERATIONS, resources: ['pods'] },
  { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods/ephemeralcontainers'] },
];
const WORKLOAD_RULES = [
  {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: OPERATIONS,
    resources: ['replicationcontrollers', 'podtemplates'],
  },
  {
    apiGroups: ['apps'],
    apiVersions: ['v1'],
    operations: OPERATIONS,
    resources: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'],
  },
  { apiGroups: ['batch'], apiVersions: ['v1'], operations: OPERATIONS, resources: ['jobs', 'cronjobs'] },
];

/** Registers both webhooks as the shipped manifest does, at addresses of this machine. */
export async function registerWebhook(
  kubernetes: KubernetesServer,
  { url, caBundle }: Pick<AdmissionWebhook, 'url' | 'caBundle'>,
  {
    exclude = ['kube-system', 'colophon-system'],
    failurePolicy = 'Fail',
    name = 'colophon-admission',
    only,
    isAudit = false,
  }: {
    readonly exclude?: readonly string[];
    readonly failurePolicy?: string;
    readonly name?: string;
    readonly only?: 'validate';
    readonly isAudit?: boolean;
  } = {},
): Promise<void> {
  const one = (webhook: 'mutate' | 'validate') => ({
    name: `${webhook}.colophon.example`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: 10,
    failurePolicy,
    matchPolicy: 'Equivalent',
    matchConditions: MATCH_CONDITIONS,
    clientConfig: { url: `${url}/${webhook}`, caBundle },
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: exclude }],
    },
  });
  const configurations = [
    {
      kind: 'ValidatingWebhookConfiguration',
      webhooks: [{ ...one('validate'), rules: [...POD_RULES, ...WORKLOAD_RULES] }],
    },
    {
      kind: 'MutatingWebhookConfiguration',
      webhooks: [{ ...one('mutate'), reinvocationPolicy: 'IfNeeded', rules: POD_RULES }],
    },
  ];
  for (const { kind, webhooks } of configurations.slice(0, only === 'validate' ? 1 : 2)) {
    const resource = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;
    await kubernetes.request('DELETE', `${resource}/${name}`);
    const object = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, webhooks };
    const { status, body } = await kubernetes.request('POST', resource, object);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  await settled(kubernetes, isAudit);
}

/** The API server learns of its webhooks by a watch. */
async function settled(kubernetes: KubernetesServer, isAudit: boolean): Promise<void> {
  for (const begun = Date.now(); Date.now() - begun < 10_000; await delay(100)) {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'probe' },
      spec: { containers: [{ name: 'probe', image: 'probe.invalid/of:webhooks' }] },
    };
    const { status, warnings } = await kubernetes.request('POST', '/api/v1/namespaces/default/pods?dryRun=All', pod);
    if (isAudit ? status === 201 && warnings.length > 0 : status === 403) return;
  }
  throw new Error('the API server does not call the webhook');
}
