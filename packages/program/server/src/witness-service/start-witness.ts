import { createHash, createPrivateKey, randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemReason } from '@colophon/durable-file';
import { openKeyFile, SigningKey } from '@colophon/keys';
import {
  ControlApi,
  gapsFor,
  type ServedUpstream,
  unixUser,
  Witness,
  type WitnessCaller,
  WitnessError,
} from '@colophon/witness';
import type { SecretReference } from '../configuration/configuration.ts';
import { openFolder } from '../data-folder/data-folder.ts';
import { ServerError } from '../server-error/server-error.ts';
import { type Closer, closeAll } from '../start/closers.ts';
import { type LogLevel, openLog } from '../start/log.ts';
import { openRunJournal } from './run-journal.ts';
import { loadWitnessConfiguration, type WitnessConfiguration, type WitnessListen } from './witness-configuration.ts';

export type WitnessServiceOptions = {
  /** The configuration file. */
  readonly file: string;
  /** Where secrets that the file names are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logLevel?: LogLevel;
};

export type RunningWitness = {
  /** For agents, without the part that names a run. */
  readonly agentsUrl: string;
  /** For callers: `unix:PATH`, or an address. */
  readonly control: string;
  readonly keyId: string;
  close(): Promise<void>;
};

/** Characters of a secret that a caller shows. */
const SHORTEST_SECRET = 32;
const TIDY_MS = 60_000;

/**
 * Starts an isolated witness as its configuration file says, once it is certain that the agent's user can reach neither
 * its key nor its control socket nor the credentials.
 * @throws ConfigurationRefused; WitnessError `witness.not_isolated`; ServerError `server.witness_unusable`,
 * `server.data_folder_unusable`; KeyError
 */
export async function startWitness({ file, env, logLevel }: WitnessServiceOptions): Promise<RunningWitness> {
  const configuration = loadWitnessConfiguration(file);
  const closers: Closer[] = [];
  try {
    const logger = openLog(logLevel);
    openFolder(configuration.dataDir);
    const key = openWitnessKey(configuration.key, env);
    const upstreams = configuration.upstreams.map((upstream) => servedUpstream(upstream, env));
    const callers = configuration.callers.map(({ name, secret }): WitnessCaller => {
      const text = readSecret(secret, env);
      if (text.length < SHORTEST_SECRET)
        throw unusable(`the secret of ${name} has fewer than ${SHORTEST_SECRET} characters`);
      return { name, secretHash: createHash('sha256').update(text).digest() };
    });
    const { agentUser } = configuration;
    const witness = new Witness({
      key,
      place: 'isolated',
      isolation: {
        ...(agentUser === undefined ? {} : { agent_user: agentUser }),
        key_and_control: agentUser === undefined ? 'elsewhere' : 'unreadable',
        credentials: 'witness',
        upstreams: 'configuration',
      },
      upstreams,
      predicateBase: configuration.predicateBase,
      random: { bytes: (length) => randomBytes(length), uuid: () => randomUUID() },
    });
    const agents = witness.createProxyServer(tlsOf(configuration.listen));
    await listen(agents, configuration.listen, closers);
    const agentsUrl = configuration.listen.url ?? addressOf(agents, configuration.listen);
    const journal = openRunJournal(join(configuration.dataDir, 'runs'), (file) =>
      logger.error({ file }, 'a run that was open cannot be read, and is not gone on with'),
    );
    const { issuer } = configuration;
    const api = new ControlApi({ witness, callers, issuer, upstreams, agentsUrl, journal, logger });
    const server = api.createServer('socket' in configuration.control ? undefined : tlsOf(configuration.control));
    const control = await listenForCallers(server, configuration.control, closers);
    requireIsolation(configuration, file);
    const tidying = setInterval(() => {
      api
        .tidy()
        .catch((cause) => logger.error({ reason: systemReason(cause) }, 'a run that is over cannot be put away'));
    }, TIDY_MS);
    closers.push(() => clearInterval(tidying));
    logger.info({ agents: agentsUrl, control, key_id: key.kid }, 'witness serving');
    return { agentsUrl, control, keyId: key.kid, close: () => closeAll(closers) };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** @throws KeyError; ServerError `server.witness_unusable` */
export function openWitnessKey(key: SecretReference, env: WitnessServiceOptions['env']): SigningKey {
  if ('file' in key) return openKeyFile(key.file, 'ES256');
  try {
    return new SigningKey(createPrivateKey(readSecret(key, env)));
  } catch (cause) {
    throw unusable(`$${key.env} holds no key on P-256 in PEM`, cause);
  }
}

function servedUpstream(
  upstream: WitnessConfiguration['upstreams'][number],
  env: WitnessServiceOptions['env'],
): ServedUpstream {
  const { name, address, api, credential, header, caFile } = upstream;
  const secret = readSecret(credential, env);
  if (!/^[\x21-\x7e]+$/.test(secret)) throw unusable(`the credential of ${name} is empty, or holds more than one word`);
  return {
    slot: name,
    name,
    base: new URL(address),
    api,
    credential: { header, value: header === 'authorization' ? `Bearer ${secret}` : secret },
    ...(caFile === undefined ? {} : { ca: readText(caFile) }),
  };
}

/** @throws WitnessError `witness.not_isolated` with every gap */
function requireIsolation(configuration: WitnessConfiguration, file: string): void {
  const { agentUser, key, control, listen, upstreams, callers, dataDir } = configuration;
  if (agentUser === undefined) return;
  const user = (() => {
    try {
      return unixUser(agentUser);
    } catch (cause) {
      throw notIsolated(file, [{ path: agentUser, problem: 'this machine has no such user' }], cause);
    }
  })();
  const secrets = [key, ...upstreams.map(({ credential }) => credential), ...callers.map(({ secret }) => secret)];
  const certificates = [listen.tls, 'socket' in control ? undefined : control.tls].filter((tls) => tls !== undefined);
  const kept = [
    ...('socket' in control ? [control.socket] : []),
    ...secrets.flatMap((secret) => ('file' in secret ? [secret.file] : [])),
    ...certificates.map(({ keyFile }) => keyFile),
    dataDir,
  ];
  // They are no secrets, but whoever may write them says where requests go, and who answers.
  const readable = [
    file,
    ...certificates.map(({ certificateFile }) => certificateFile),
    ...upstreams.flatMap(({ caFile }) => caFile ?? []),
  ];
  const own = process.getuid?.() ?? -1;
  const gaps = gapsFor(user, kept, own);
  if (user.uid !== own && user.uid !== 0) gaps.push(...gapsFor(user, readable, own, false));
  if (gaps.length > 0) throw notIsolated(file, gaps);
}

function notIsolated(
  file: string,
  gaps: ReadonlyArray<{ path: string; problem: string }>,
  cause?: unknown,
): WitnessError {
  return new WitnessError('witness.not_isolated', 'the agent can reach what the witness has to keep from it', {
    checked: file,
    issues: gaps.map(({ path, problem }) => ({ code: 'witness.not_isolated', message: problem, found: path })),
    cause,
  });
}

function listen(server: Server, { address, port }: WitnessListen, closers: Closer[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (cause: NodeJS.ErrnoException) =>
    reject(new ServerError('server.port_in_use', `port ${port} of ${address}: ${cause.code}`, { cause })),
  );
  server.listen({ host: address, port, exclusive: true }, resolve);
  closers.push(() => end(server));
  return promise;
}

async function listenForCallers(
  server: Server,
  control: WitnessConfiguration['control'],
  closers: Closer[],
): Promise<string> {
  if (!('socket' in control)) {
    await listen(server, control, closers);
    return addressOf(server, control);
  }
  // A socket that a witness left behind that was killed; another kind of file is somebody's.
  if (statSync(control.socket, { throwIfNoEntry: false })?.isSocket()) rmSync(control.socket);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (cause: NodeJS.ErrnoException) =>
    reject(unusable(`the control socket cannot be made: ${control.socket}: ${systemReason(cause)}`, cause)),
  );
  // Nobody else may connect before its mode is set.
  const mask = process.umask(0o177);
  server.listen({ path: control.socket }, resolve);
  try {
    await promise;
  } finally {
    process.umask(mask);
  }
  closers.push(() => end(server));
  chmodSync(control.socket, 0o660);
  return `unix:${control.socket}`;
}

function end(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}

function addressOf(server: Server, { address, tls }: WitnessListen): string {
  const { port } = server.address() as AddressInfo;
  const host = address.includes(':') ? `[${address}]` : address;
  return `${tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

function tlsOf({ tls }: WitnessListen): { readonly cert: string; readonly key: string } | undefined {
  return tls && { cert: readText(tls.certificateFile), key: readText(tls.keyFile) };
}

function readSecret(secret: SecretReference, env: WitnessServiceOptions['env']): string {
  if ('file' in secret) return readText(secret.file).trim();
  const value = env[secret.env]?.trim();
  if (value) return value;
  throw unusable(`$${secret.env} is not set`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw unusable(`${file}: ${systemReason(cause)}`, cause);
  }
}

function unusable(message: string, cause?: unknown): ServerError {
  return new ServerError('server.witness_unusable', message, cause === undefined ? {} : { cause });
}
