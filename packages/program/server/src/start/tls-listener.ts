import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { systemReason } from '@colophon/durable-file';
import type { SecretReference } from '../configuration/configuration.ts';
import type { Meter } from '../operations/meter.ts';
import type { Readiness } from '../operations/readiness.ts';
import { ServerError } from '../server-error/server-error.ts';
import { WatchedFiles } from '../watched-file/watched-files.ts';
import type { Closer } from './closers.ts';
import { type Listener, listenOn, type TlsPair } from './listener.ts';
import type { openLog } from './log.ts';

/** Where a server listens, and with which certificate. */
export type TlsAddress = {
  readonly address: string;
  readonly port: number;
  readonly tls?: TlsFiles;
};

type TlsFiles = {
  readonly certificateFile: string;
  readonly key: SecretReference;
  /** Certificates of the authorities whose clients are let in; everybody is without. */
  readonly clientAuthorityFile?: string;
};

export type TlsListenerContext = {
  /** Where secrets that the configuration names are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly closers: Closer[];
  readonly logger: ReturnType<typeof openLog>;
  /** How often the files are looked at. */
  readonly watchIntervalMs: number | undefined;
  readonly readiness: Readiness;
  readonly meter: Pick<Meter, 'gauge' | 'reloaded'>;
  readonly headersTimeoutMs: number;
  /** As a listener takes it. */
  readonly requestTimeoutMs?: number;
  /** As a listener takes it. */
  readonly keepAliveMs?: number;
  /** What an answer may wait for at the end. */
  readonly drainMs: number;
  /** As a listener takes it. */
  readonly onClientRefused?: (reason: string) => void;
};

/** Listens as configured; files that were exchanged are used for new connections from then on, all of them or none. */
export async function listenWithTls(
  { address, port, tls }: TlsAddress,
  {
    env,
    closers,
    logger,
    watchIntervalMs,
    readiness,
    meter,
    headersTimeoutMs,
    requestTimeoutMs,
    keepAliveMs,
    drainMs,
    onClientRefused,
  }: TlsListenerContext,
): Promise<Listener> {
  const pair = tls && readTls(tls, env);
  const options = { tls: pair, headersTimeoutMs, requestTimeoutMs, keepAliveMs, drainMs, onClientRefused };
  const listener = await listenOn(address, port, options).catch((cause: unknown) => {
    if (pair === undefined || cause instanceof ServerError) throw cause;
    throw new ServerError('server.tls_unusable', `${tls?.certificateFile} and its key cannot be used`, { cause });
  });
  closers.push(() => listener.close());
  if (tls === undefined || pair === undefined) return listener;
  let expiresAt = expiryOf(pair.cert);
  meter.gauge('tls_certificate_expires_seconds', () => (expiresAt - Date.now()) / 1000);
  const followed = followedFiles(tls);
  const files = new WatchedFiles({
    paths: followed.map(([, file]) => file),
    taken: followed.map(([member]) => pair[member] as Uint8Array),
    take: (contents) => {
      const changed = Object.fromEntries(followed.map(([member], index) => [member, contents[index]]));
      const { cert, key, clientAuthorities } = { ...pair, ...changed };
      if (clientAuthorities !== undefined) mustBeCertificates(clientAuthorities);
      listener.renewTls({ cert, key, clientAuthorities });
      expiresAt = expiryOf(cert);
      meter.reloaded('certificate', 'taken');
      logger.info({}, 'the files of TLS were exchanged');
    },
    onFailure: () => {
      meter.reloaded('certificate', 'refused');
      logger.error({ code: 'server.tls_unusable' }, 'the files of TLS were changed and cannot be used');
    },
    ...(watchIntervalMs === undefined ? {} : { intervalMs: watchIntervalMs }),
  });
  closers.push(() => files.close());
  readiness.add({
    name: 'certificate',
    problem: () => (files.failure !== undefined || Date.now() > expiresAt ? 'server.tls_unusable' : undefined),
  });
  return listener;
}

/** Milliseconds since 1970. */
function expiryOf(pem: Uint8Array): number {
  return new X509Certificate(pem).validToDate.getTime();
}

/** What is read again while the server runs. */
function followedFiles({ certificateFile, key, clientAuthorityFile }: TlsFiles) {
  const files: Array<readonly [member: keyof TlsPair, file: string]> = [['cert', certificateFile]];
  if ('file' in key) files.push(['key', key.file]);
  if (clientAuthorityFile !== undefined) files.push(['clientAuthorities', clientAuthorityFile]);
  return files;
}

/** @throws ServerError `server.tls_unusable`; nothing of the key is in it */
function readTls({ certificateFile, key, clientAuthorityFile }: TlsFiles, env: TlsListenerContext['env']): TlsPair {
  const clientAuthorities = clientAuthorityFile === undefined ? undefined : readAuthorities(clientAuthorityFile);
  if ('env' in key) {
    const value = env[key.env];
    if (!value) throw new ServerError('server.tls_unusable', `$${key.env} holds no private key`);
    return { cert: readTlsFile(certificateFile), key: Buffer.from(value), clientAuthorities };
  }
  return { cert: readTlsFile(certificateFile), key: readTlsFile(key.file), clientAuthorities };
}

function readAuthorities(file: string): Uint8Array {
  const pem = readTlsFile(file);
  try {
    mustBeCertificates(pem);
  } catch (cause) {
    throw new ServerError('server.tls_unusable', `${file} has something else than certificates`, { cause });
  }
  return pem;
}

/** OpenSSL passes over what it cannot read, and would trust what is left. @throws Error */
function mustBeCertificates(pem: Uint8Array): void {
  const text = Buffer.from(pem).toString('latin1');
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  for (const certificate of certificates) new X509Certificate(certificate);
  if (certificates.length === 0 || certificates.length !== text.match(/-----BEGIN /g)?.length) {
    throw new Error('not every part is a certificate');
  }
}

function readTlsFile(file: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(file));
  } catch (cause) {
    throw new ServerError('server.tls_unusable', `${file} cannot be read: ${systemReason(cause)}`, { cause });
  }
}
