import { join } from 'node:path';
import { createAuthority } from '@colophon/authority';
import { systemReason } from '@colophon/durable-file';
import { createEvidence } from '@colophon/evidence';
import { createIssuer, type Issuer } from '@colophon/issuer';
import { KeyRing, openKeyFile, type RingTiming } from '@colophon/keys';
import type { Namespace } from '@colophon/records';
import { loadTrustedRoot, signStatement, verifyBundle } from '@colophon/sigstore';
import { openDatabase, SqliteLedger } from '@colophon/store';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { pino } from 'pino';
import { Aside, READ_IN_PLACE_BYTES } from '../aside/aside.ts';
import { LARGE_BODIES_BYTES } from '../body-budget/body-budget.ts';
import { ByteBudget } from '../body-budget/byte-budget.ts';
import {
  bindInstallation,
  dataPaths,
  lockDataFolder,
  namespaceOf,
  readInstallation,
  type TokenAlgorithm,
  tokenKeyRing,
} from '../data-folder/data-folder.ts';
import { createRegistry } from '../registry/registry.ts';
import { serveSbomFiles } from '../sbom-files/sbom-files.ts';
import { ServerError } from '../server-error/server-error.ts';
import { trustedRootOf, writeTrustFiles } from '../trust-files/trust-files.ts';
import { mountFrontDoor } from './front-door.ts';
import { watchKeyRing } from './key-ring-watch.ts';
import { listenOnLoopback } from './listener.ts';
import { openReviewerSecret } from './reviewer-secret.ts';

export const DEFAULT_PORT = 7080;

export type ServerOptions = {
  readonly dataDir: string;
  /** File with the local reviewers' secret, made where there is none. */
  readonly reviewerSecretFile: string;
  /** 0 takes a free one. Default: the data folder's, else 7080. */
  readonly port?: number;
  /** Default: the data folder's, else RS256. */
  readonly tokenAlgorithm?: TokenAlgorithm;
  /** What a rotation of the token keys waits for. Default: what the issuer's documents and tokens need. */
  readonly keyTiming?: RingTiming;
  /** Base of the predicate types. Default: the data folder's, else the placeholder. */
  readonly predicateBase?: string | undefined;
  /** Arc of the claims in certificates. Default: the data folder's, else the placeholder. */
  readonly claimArc?: string | undefined;
  /** The authority takes each identity token once. */
  readonly singleUseTokens?: boolean;
  /** DER certificates of others' roots, whose CAs may log certificates here. */
  readonly ctExtraRoots?: readonly Uint8Array[];
  /** Default `silent`. Lines of JSON go to standard error; bodies, tokens and secrets are in none. */
  readonly logLevel?: 'silent' | 'error' | 'warn' | 'info';
};

type Closer = () => unknown;

export type RunningServer = {
  /** `http://localhost:<port>`: the issuer, and the base of everything else. */
  readonly url: string;
  /** The address families that it listens on. */
  readonly addresses: readonly string[];
  /** The names that it writes under. */
  readonly namespace: Namespace;
  /** Finishes what is under way, brings the ledger under a checkpoint, lets go of the data folder. */
  close(): Promise<void>;
};

/**
 * Starts issuer, authority, evidence store and registry in this process, on one origin, on both loopback families.
 * Answers once everything is served; a start that fails leaves nothing open.
 * @throws ServerError `server.port_in_use`, `server.data_folder_in_use`, `server.data_folder_damaged`, `server.data_folder_newer`,
 * `server.data_folder_unusable`, `server.issuer_changed`, `server.algorithm_changed`, `server.namespace_changed`; StoreError and KeyError of what
 * lies in the folder
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { dataDir } = options;
  const closers: Closer[] = [];
  try {
    const installed = readInstallation(dataDir);
    // That the folder is served already says more than that its port is taken. A new folder is not touched before the
    // port is had.
    if (installed !== undefined) closers.push(lockDataFolder(dataDir));
    const port = options.port ?? (installed === undefined ? DEFAULT_PORT : portOf(installed.issuer_url));
    const listener = await listenOnLoopback(port);
    closers.push(() => listener.close());
    if (installed === undefined) closers.unshift(lockDataFolder(dataDir));
    const url = issuerUrlOf(listener.port);
    const tokenAlgorithm = options.tokenAlgorithm ?? installed?.token_algorithm ?? 'RS256';
    const predicateBase = options.predicateBase ?? installed?.predicate_base;
    const claimArc = options.claimArc ?? installed?.claim_arc;
    const installation = {
      issuer_url: url,
      token_algorithm: tokenAlgorithm,
      ...(predicateBase === undefined ? {} : { predicate_base: predicateBase }),
      ...(claimArc === undefined ? {} : { claim_arc: claimArc }),
    };
    const namespace = namespaceOf(installation);
    if (installed !== undefined) bindInstallation(dataDir, installation);
    // Requests end first, then what they use, the lock at last.
    const app = await compose({ ...options, url, tokenAlgorithm, namespace, closers });
    // A first start that failed leaves the folder free for another address.
    bindInstallation(dataDir, installation);
    listener.serve((request, response) => app.routing(request, response));
    let ending: Promise<void> | undefined;
    const close = () => {
      ending ??= listener.close().then(() => closeAll(closers));
      return ending;
    };
    return { url, addresses: listener.addresses, namespace, close };
  } catch (error) {
    await closeAll(closers);
    throw dataFolderError(dataDir, error);
  }
}

/** Closes in reverse order; one that fails keeps none from being closed. */
async function closeAll(closers: Closer[]): Promise<void> {
  const close = closers.pop();
  if (close === undefined) return;
  try {
    await close();
  } finally {
    await closeAll(closers);
  }
}

const FILE_SYSTEM_REFUSALS = [
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'ENOTDIR',
  'EISDIR',
  'ENAMETOOLONG',
];

/** What the file system refuses is a matter of the folder's owner, mode or disk, and not of this program. */
function dataFolderError(dataDir: string, error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!FILE_SYSTEM_REFUSALS.includes(code)) return error;
  return new ServerError('server.data_folder_unusable', `${dataDir} cannot be used: ${systemReason(error)}`, {
    cause: error,
  });
}

async function compose(
  options: ServerOptions & {
    url: string;
    tokenAlgorithm: TokenAlgorithm;
    namespace: Namespace;
    closers: Closer[];
  },
): Promise<FastifyInstance> {
  const { dataDir, url, tokenAlgorithm, namespace, closers } = options;
  const logger: FastifyBaseLogger = pino(
    { level: options.logLevel ?? 'silent' },
    pino.destination({ fd: 2, sync: true }),
  );
  const paths = dataPaths(dataDir);
  const db = openDatabase(paths.database);
  closers.push(() => db.close());

  const signingKeys = new KeyRing(tokenKeyRing(dataDir, tokenAlgorithm), Date.now(), options.keyTiming);
  closers.push(watchKeyRing(signingKeys, logger));
  const ledgerKey = openKeyFile(join(paths.keys, 'ledger.pem'), 'ES256');
  const issuer = await createIssuer({
    issuerUrl: url,
    ledger: new SqliteLedger(db),
    signingKeys,
    ledgerKey,
    reviewerSecret: openReviewerSecret(options.reviewerSecretFile),
    logger,
  });
  closers.push(() => issuer.close());

  const bodies = new ByteBudget(LARGE_BODIES_BYTES);
  const aside = new Aside();
  closers.push(() => aside.close());

  const authority = await createAuthority({
    db,
    dataDir,
    clock: { now: () => new Date() },
    baseUrl: url,
    trustedIssuers: [url],
    keySource: {
      findKey: async (iss, kid) => {
        if (iss !== url) return undefined;
        return signingKeys.at(Date.now()).published.find((key) => key.kid === kid)?.publicJwk;
      },
    },
    singleUseTokens: options.singleUseTokens ?? false,
    claimArc: namespace.claimArc,
    ctExtraRoots: options.ctExtraRoots ?? [],
    readBody: (name, body) => aside.read(name, body),
  });
  const localTrust = { ...authority.trust, ledgerPublicKey: ledgerKey.spki };
  writeTrustFiles(dataDir, url, localTrust);

  const trustedRoot = JSON.stringify(trustedRootOf(url, localTrust));
  const trust = loadTrustedRoot(trustedRoot, namespace);
  const evidence = createEvidence({
    db,
    predicateBase: namespace.predicateBase,
    verify: (bundle) =>
      bundle.length <= READ_IN_PLACE_BYTES
        ? verifyBundle({ bundle, trust, policy: 'gated-elsewhere' }).signature
        : aside.read('bundle', bundle, JSON.stringify({ trustedRoot, namespace })),
    sign: async (statement) => {
      const identityToken = () => evidenceToken(issuer);
      return (await signStatement({ fulcioUrl: url, rekorUrl: url, trust, identityToken, statement })).bundle;
    },
  });
  const registry = createRegistry({ folder: paths.registry, bodies, aside });
  closers.push(() => registry.close());

  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 0,
    bodyLimit: 16 * 1024,
  });
  mountFrontDoor(app, { bodies });
  const notFound = ServerError.statusOf('server.not_found');
  app.setNotFoundHandler((_request, reply) =>
    reply.code(notFound).type('application/problem+json').send({
      type: 'about:blank',
      title: 'Not Found',
      status: notFound,
      code: 'server.not_found',
      detail: 'there is nothing at this path',
    }),
  );
  await issuer.register(app);
  authority.register(app);
  await evidence.register(app);
  await registry.register(app);
  serveSbomFiles(app, paths.sboms);
  await app.ready();
  closers.push(() => app.close());
  return app;
}

/** A new token of the evidence store in this process. */
async function evidenceToken(issuer: Issuer): Promise<string> {
  const minted = await issuer.mintForEvidence();
  if (minted.ok) return minted.token;
  throw new Error(`the issuer gives the evidence store no token: ${minted.refusal.code}`);
}

/** As a URL parser writes it: port 80 goes without saying. */
function issuerUrlOf(port: number): string {
  return new URL(`http://localhost:${port}`).origin;
}

function portOf(issuerUrl: string): number {
  return Number(new URL(issuerUrl).port || 80);
}
