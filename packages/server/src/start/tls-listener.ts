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
  readonly tls?: { readonly certificateFile: string; readonly key: SecretReference };
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
  readonly keepAliveMs?: number;
  /** What an answer may wait for at the end. */
  readonly drainMs: number;
};

/** Listens as configured; a certificate and its key that were exchanged are used from then on, both or none. */
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
    keepAliveMs,
    drainMs,
  }: TlsListenerContext,
): Promise<Listener> {
  const pair = tls && readTls(tls.certificateFile, tls.key, env);
  const listener = await listenOn(address, port, { tls: pair, headersTimeoutMs, keepAliveMs, drainMs }).catch(
    (cause: unknown) => {
      if (pair === undefined || cause instanceof ServerError) throw cause;
      throw new ServerError('server.tls_unusable', `${tls?.certificateFile} and its key cannot be used`, { cause });
    },
  );
  closers.push(() => listener.close());
  if (tls === undefined || pair === undefined) return listener;
  let expiresAt = expiryOf(pair.cert);
  meter.gauge('tls_certificate_expires_seconds', () => (expiresAt - Date.now()) / 1000);
  const isFile = 'file' in tls.key;
  const files = new WatchedFiles({
    paths: isFile ? [tls.certificateFile, (tls.key as { file: string }).file] : [tls.certificateFile],
    taken: isFile ? [pair.cert, pair.key] : [pair.cert],
    take: ([cert, key = pair.key]) => {
      listener.renewTls({ cert: cert!, key });
      expiresAt = expiryOf(cert!);
      meter.reloaded('certificate', 'taken');
      logger.info({}, 'the certificate was renewed');
    },
    onFailure: () => {
      meter.reloaded('certificate', 'refused');
      logger.error({ code: 'server.tls_unusable' }, 'the certificate and its key were changed and cannot be used');
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

/** @throws ServerError `server.tls_unusable`; nothing of the key is in it */
function readTls(certificateFile: string, key: SecretReference, env: TlsListenerContext['env']): TlsPair {
  if ('env' in key) {
    const value = env[key.env];
    if (!value) throw new ServerError('server.tls_unusable', `$${key.env} holds no private key`);
    return { cert: readTlsFile(certificateFile), key: Buffer.from(value) };
  }
  return { cert: readTlsFile(certificateFile), key: readTlsFile(key.file) };
}

function readTlsFile(file: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(file));
  } catch (cause) {
    throw new ServerError('server.tls_unusable', `${file} cannot be read: ${systemReason(cause)}`, { cause });
  }
}
