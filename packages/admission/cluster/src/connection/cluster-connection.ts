import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile, systemReason } from '@colophon/durable-file';
import { fetchTrusting, isLoopback, shownAddress } from '@colophon/peer';
import { ClusterError } from '../cluster-error/cluster-error.ts';

/** Where an API server is, and how it is asked. */
export type ClusterConnection = {
  /** Without a slash at the end. */
  readonly url: string;
  /** Asked anew for each question: tokens of service accounts rotate. @throws ClusterError */
  readonly access: () => ClusterAccess;
};

/** The credential of one question, and the `fetch` that trusts the API server. */
export type ClusterAccess = {
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch | undefined;
};

export type ClusterConnectionOptions = {
  /** Of the files of the service account. */
  readonly folder?: string | undefined;
  /** How an address is given, for people. */
  readonly asked?: ((url: string) => string) | undefined;
};

const AS_OPTION = (url: string): string => `--server ${url}`;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where Kubernetes puts a Pod's credential. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The API server that somebody names, else the one of the cluster that this process runs in.
 * @param asked how it is named where it is not
 * @param folder of the service account's files
 * @throws ClusterError `cluster.server_invalid`, `cluster.not_configured`
 */
export function clusterConnection(
  server: string | undefined,
  env: Environment,
  { folder = SERVICE_ACCOUNT, asked = AS_OPTION }: ClusterConnectionOptions = {},
): ClusterConnection {
  if (server !== undefined) return namedServer(server);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) {
    throw new ClusterError('cluster.not_configured', 'this is no Pod of a cluster, and no API server is named', {
      checked: '$KUBERNETES_SERVICE_HOST, $KUBERNETES_SERVICE_PORT',
      expected: asked('URL'),
      next: `kubectl proxy --port 8001    (then ${asked('http://127.0.0.1:8001')})`,
    });
  }
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  let trusted: { readonly pem: string; readonly fetch: typeof globalThis.fetch } | undefined;
  const access = () => {
    const pem = readCredential(join(folder, 'ca.crt'));
    if (trusted?.pem !== pem) trusted = { pem, fetch: trusting(pem, join(folder, 'ca.crt')) };
    const token = readCredential(join(folder, 'token')).trim();
    return { headers: { authorization: `Bearer ${token}` }, fetch: trusted.fetch };
  };
  return { url, access };
}

/** The namespace that this process runs in; undefined outside of a cluster. */
export function podNamespace(folder = SERVICE_ACCOUNT): string | undefined {
  try {
    const name = readFileSync(join(folder, 'namespace'), 'utf8').trim();
    return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** No credential goes there: this process's own is for another address, and `kubectl proxy` has one. */
function namedServer(server: string): ClusterConnection {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (url === undefined || !isPlain || !isSafe) {
    throw new ClusterError('cluster.server_invalid', 'this is no address of an API server', {
      checked: shownAddress(server),
      expected: 'https://HOST, or http://127.0.0.1:PORT of kubectl proxy',
    });
  }
  return { url: url.href.replace(/\/+$/, ''), access: () => ({ headers: {}, fetch: undefined }) };
}

/** Bytes of a token, or of the certificates of an authority. */
const MOST_CREDENTIAL_BYTES = 1024 * 1024;

function readCredential(file: string): string {
  try {
    return readRegularFile(file, MOST_CREDENTIAL_BYTES).toString('utf8');
  } catch (cause) {
    throw unreadable(file, systemReason(cause));
  }
}

function trusting(pem: string, file: string): typeof globalThis.fetch {
  try {
    return fetchTrusting(pem);
  } catch {
    throw unreadable(file, 'there is no certificate in it');
  }
}

function unreadable(file: string, found: string): ClusterError {
  return new ClusterError('cluster.credential_unreadable', 'the credential of this Pod cannot be read', {
    checked: file,
    found,
    expected: 'the files of a service account: automountServiceAccountToken: true',
  });
}
