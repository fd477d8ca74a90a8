import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@colophon/testkit';
import { findProgram, isMissing, run } from './programs.ts';

/** Who asks: everything is allowed to the first, and nothing but what RBAC says to the second. */
export type KubernetesUser = 'admin' | 'developer';

export type KubernetesAnswer = {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: objects of an API that is not ours
  readonly body: any;
  /** What it says beside its answer. */
  readonly warnings: readonly string[];
};

/** A real API server with its etcd on loopback. No controller runs: what they would make is posted. */
export type KubernetesServer = {
  readonly url: string;
  /** PEM file of its authority. */
  readonly caFile: string;
  readonly tokens: Readonly<Record<KubernetesUser, string>>;
  /** PEM file of the authority of the certificate that it shows to webhooks, where it shows one. */
  readonly webhookClientCaFile: string;
  request(
    method: string,
    path: string,
    body?: unknown,
    options?: { readonly token?: string; readonly contentType?: string },
  ): Promise<KubernetesAnswer>;
  createNamespace(name: string, labels?: Readonly<Record<string, string>>): Promise<void>;
  /** File by which kubectl asks as a user. */
  kubeconfig(user?: KubernetesUser): string;
  stop(): Promise<void>;
};

export function isKubernetesMissing(): boolean {
  return isMissing('kube-apiserver', 'etcd', 'kubectl');
}

const READY_MS = 60_000;
const STOP_MS = 5_000;

export type KubernetesOptions = {
  /** Whether it shows a certificate to webhooks; few clusters do. */
  readonly showsCertificate?: boolean;
  /** Whether system-cluster-critical Pods need a quota of their namespace, as at some providers. */
  readonly limitsCriticalPods?: boolean;
};

/** Starts both in a folder; the API server is ready in some four seconds. A port that somebody else took meanwhile is given up. */
export async function startKubernetes(
  folder: string,
  options: KubernetesOptions = {},
  tries = 3,
): Promise<KubernetesServer> {
  try {
    return await start(join(folder, `kubernetes-${tries}`), options);
  } catch (error) {
    if (tries > 1 && String(error).includes('address already in use')) {
      return startKubernetes(folder, options, tries - 1);
    }
    throw error;
  }
}

async function start(home: string, options: KubernetesOptions): Promise<KubernetesServer> {
  mkdirSync(home, { recursive: true });
  await certificates(home);
  const [port, etcd, etcdPeer] = [await freePort(), await freePort(), await freePort()];
  const tokens = { admin: randomBytes(24).toString('hex'), developer: randomBytes(24).toString('hex') };
  const users = [`${tokens.admin},admin,1,"system:masters"`, `${tokens.developer},developer,2,"developers"`];
  writeFileSync(join(home, 'tokens.csv'), `${users.join('\n')}\n`, { mode: 0o600 });
  const started: Array<{ readonly child: ChildProcess; said: string }> = [];
  const begin = (name: string, args: readonly string[]) => {
    const child = spawn(findProgram(name) as string, args, { cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
    const program = { child, said: '' };
    child.stderr?.on('data', (chunk) => {
      program.said = `${program.said}${chunk}`.slice(-4000);
    });
    started.push(program);
  };
  const stop = async () => {
    for (const { child } of started.toReversed()) await end(child);
  };
  const store = `http://127.0.0.1:${etcd}`;
  begin('etcd', [
    ...['--data-dir', 'etcd', '--name', 'one', '--unsafe-no-fsync', '--log-level', 'error'],
    ...['--listen-client-urls', store, '--advertise-client-urls', store],
    ...['--listen-peer-urls', `http://127.0.0.1:${etcdPeer}`],
    ...['--initial-advertise-peer-urls', `http://127.0.0.1:${etcdPeer}`],
    ...['--initial-cluster', `one=http://127.0.0.1:${etcdPeer}`],
  ]);
  begin('kube-apiserver', [
    ...['--etcd-servers', store, '--bind-address', '127.0.0.1', '--secure-port', `${port}`],
    ...['--advertise-address', '127.0.0.1', '--endpoint-reconciler-type', 'none'],
    ...['--tls-cert-file', 'server.pem', '--tls-private-key-file', 'server.key', '--token-auth-file', 'tokens.csv'],
    ...['--authorization-mode', 'RBAC', '--disable-admission-plugins', 'ServiceAccount'],
    ...['--service-account-issuer', 'https://kubernetes.default.svc.cluster.local'],
    ...['--service-account-key-file', 'sa.pub', '--service-account-signing-key-file', 'sa.key'],
    ...['--service-cluster-ip-range', '10.96.0.0/24', '--allow-privileged=true'],
    ...['--admission-control-config-file', admissionControl(home, options)],
  ]);
  const url = `https://127.0.0.1:${port}`;
  const caFile = join(home, 'ca.pem');
  const ca = readFileSync(caFile);
  const request: KubernetesServer['request'] = (method, path, body, options = {}) =>
    ask(`${url}${path}`, { method, body, ca, token: tokens.admin, ...options });
  try {
    for (const begun = Date.now(); ; await delay(100)) {
      const answer = await request('GET', '/readyz').catch(() => undefined);
      if (answer?.status === 200) break;
      if (Date.now() - begun > READY_MS || started.some(({ child }) => child.exitCode !== null)) {
        throw new Error(`the API server is not ready: ${started.map(({ said }) => said).join('\n')}`);
      }
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    caFile,
    tokens,
    webhookClientCaFile: join(home, 'clients.pem'),
    request,
    async createNamespace(name, labels = {}) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
      const { status, body } = await request('POST', '/api/v1/namespaces', namespace);
      if (status !== 201) throw new Error(`no namespace ${name}: ${body.message}`);
    },
    kubeconfig(user = 'admin') {
      const file = join(home, `${user}.kubeconfig`);
      const cluster = { name: 'local', cluster: { server: url, 'certificate-authority': caFile } };
      const config = {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [cluster],
        users: [{ name: user, user: { token: tokens[user] } }],
        contexts: [{ name: 'local', context: { cluster: 'local', user } }],
        'current-context': 'local',
      };
      writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
      return file;
    },
    stop,
  };
}

/** The file that configures its own admission: a certificate for every webhook, a quota for critical Pods. */
function admissionControl(home: string, { showsCertificate, limitsCriticalPods }: KubernetesOptions): string {
  const apiVersion = 'apiserver.config.k8s.io/v1';
  const plugins: Array<{ name: string; configuration: object }> = [];
  if (showsCertificate) {
    const kubeConfigFile = join(home, 'webhooks.kubeconfig');
    const user = { 'client-certificate': join(home, 'api.pem'), 'client-key': join(home, 'api.key') };
    writeFileSync(kubeConfigFile, JSON.stringify({ apiVersion: 'v1', kind: 'Config', users: [{ name: '*', user }] }));
    const configuration = { apiVersion, kind: 'WebhookAdmissionConfiguration', kubeConfigFile };
    for (const kind of ['Validating', 'Mutating']) plugins.push({ name: `${kind}AdmissionWebhook`, configuration });
  }
  if (limitsCriticalPods) {
    const matchScopes = [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-cluster-critical'] }];
    const limitedResources = [{ resource: 'pods', matchScopes }];
    const configuration = { apiVersion, kind: 'ResourceQuotaConfiguration', limitedResources };
    plugins.push({ name: 'ResourceQuota', configuration });
  }
  const file = join(home, 'admission-control.json');
  writeFileSync(file, JSON.stringify({ apiVersion, kind: 'AdmissionConfiguration', plugins }));
  return file;
}

async function certificates(home: string): Promise<void> {
  const key = '-algorithm EC -pkeyopt ec_paramgen_curve:P-256';
  const script = `set -e
    openssl genpkey ${key} -out ca.key; openssl req -x509 -new -key ca.key -subj /CN=ca -days 2 -out ca.pem
    openssl genpkey ${key} -out server.key; openssl req -new -key server.key -subj /CN=kube-apiserver -out server.csr
    printf 'subjectAltName=IP:127.0.0.1,DNS:localhost' >server.ext
    openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile server.ext -out server.pem
    openssl genpkey ${key} -out clients.key; openssl req -x509 -new -key clients.key -subj /CN=clients -days 2 -out clients.pem
    openssl genpkey ${key} -out api.key; openssl req -new -key api.key -subj /CN=api -out api.csr
    printf 'extendedKeyUsage=clientAuth' >api.ext
    openssl x509 -req -in api.csr -CA clients.pem -CAkey clients.key -CAcreateserial -days 2 -extfile api.ext -out api.pem
    openssl genpkey ${key} -out sa.key; openssl pkey -in sa.key -pubout -out sa.pub`;
  const { code, stderr } = await run('bash', ['-c', script], { cwd: home });
  if (code !== 0) throw new Error(stderr);
}

function ask(
  url: string,
  {
    method,
    body,
    ca,
    token,
    contentType = 'application/json',
  }: { method: string; body: unknown; ca: Buffer; token: string; contentType?: string },
): Promise<KubernetesAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': contentType }),
    };
    const asked = httpsRequest(url, { method, ca, headers, timeout: 40_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json');
        const warnings = [response.headers['warning'] ?? []].flat().flatMap((one) => one.split(/, (?=299 )/));
        resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text, warnings });
      });
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer in time: ${method} ${url}`)));
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const hurry = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(hurry);
}
