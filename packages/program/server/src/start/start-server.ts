import { dirname, join } from 'node:path';
import type { RingTiming } from '@colophon/keys';
import type { Namespace } from '@colophon/records';
import { ROLES } from '../configuration/configuration-schema.ts';
import {
  bindInstallation,
  lockDataFolder,
  namespaceOf,
  readInstallation,
  type TokenAlgorithm,
} from '../data-folder/data-folder.ts';
import { NO_METER } from '../operations/meter.ts';
import { Readiness } from '../operations/readiness.ts';
import { openPinnedHistory, pinsBeside } from '../pinned-history/pins-place.ts';
import { ServerError } from '../server-error/server-error.ts';
import type { ConfiguredTrust } from '../trust-files/configured-trust.ts';
import { ownWitnessBook } from '../witnesses/witness-book.ts';
import { type Closer, closeAll } from './closers.ts';
import { compose } from './composition.ts';
import { dataFolderError } from './data-folder-error.ts';
import { BOUNDED_BY_ROUTE, listenOnLoopback } from './listener.ts';
import { type LogLevel, openLog } from './log.ts';
import { openReviewerSecret } from './reviewer-secret.ts';

export const DEFAULT_PORT = 7080;

export type ServerOptions = {
  readonly dataDir: string;
  /** File with the local reviewers' secret, made where there is none. */
  readonly reviewerSecretFile: string;
  /** Folder of the pins of its own history. Default: `pins` beside the reviewers' secret. */
  readonly pinsFolder?: string;
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
  /** Whom the operator trusts beside the embedded authority, and where the evidence store signs. Default: nobody else, and here. */
  readonly trust?: ConfiguredTrust | undefined;
  /** Issuers whose e-mail addresses are people. Default: none. */
  readonly peopleIssuers?: readonly string[] | undefined;
  /** The authority takes each identity token once. */
  readonly singleUseTokens?: boolean;
  /** DER certificates of others' roots, whose CAs may log certificates here. */
  readonly ctExtraRoots?: readonly Uint8Array[];
  /** Default `silent`. Lines of JSON go to standard error; bodies, tokens and secrets are in none. */
  readonly logLevel?: LogLevel;
};

export type RunningServer = {
  /** `http://localhost:<port>`: the issuer, and the base of everything else. */
  readonly url: string;
  /** The address families that it listens on. */
  readonly addresses: readonly string[];
  /** Where probes and numbers are served, where that is configured: `127.0.0.1:9464`. */
  readonly operations?: string | undefined;
  /** The names that it writes under. */
  readonly namespace: Namespace;
  /** Parts of the data folder that had a history and no pin: an older copy of them would not have been noticed. */
  readonly unpinned: readonly string[];
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
    if (installed !== undefined) requireLocal(dataDir, installed.issuer_url);
    // That the folder is served already says more than that its port is taken. A new folder is not touched before the
    // port is had.
    if (installed !== undefined) closers.push(lockDataFolder(dataDir));
    const port = options.port ?? (installed === undefined ? DEFAULT_PORT : portOf(installed.issuer_url));
    const listener = await listenOnLoopback(port, { requestTimeoutMs: BOUNDED_BY_ROUTE });
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
    const readiness = new Readiness();
    const logger = openLog(options.logLevel);
    const history = openPinnedHistory(options.pinsFolder ?? pinsBeside(options.reviewerSecretFile), dataDir, logger);
    const reviewerSecret = openReviewerSecret(options.reviewerSecretFile);
    const witnesses = ownWitnessBook(witnessKeyBeside(options.reviewerSecretFile), namespace.predicateBase);
    // Requests end first, then what they use, the lock at last.
    const app = await compose({
      dataDir,
      url,
      roles: ROLES,
      guard: 'loopback',
      tokenAlgorithm,
      keyTiming: options.keyTiming,
      namespace,
      trust: options.trust,
      peopleIssuers: options.peopleIssuers,
      reviewerSecret,
      witnesses: () => witnesses,
      singleUseTokens: options.singleUseTokens,
      ctExtraRoots: options.ctExtraRoots,
      history,
      logger,
      readiness,
      meter: NO_METER,
      closers,
    });
    // A first start that failed leaves the folder free for another address.
    bindInstallation(dataDir, installation);
    listener.serve((request, response) => app.routing(request, response));
    let ending: Promise<void> | undefined;
    const close = () => {
      readiness.end();
      ending ??= listener.close().then(() => closeAll(closers));
      return ending;
    };
    return { url, addresses: listener.addresses, namespace, unpinned: history?.unpinned ?? [], close };
  } catch (error) {
    await closeAll(closers);
    throw dataFolderError(dataDir, error);
  }
}

/** The key of this user's own witness, which `colophon run` signs with. */
function witnessKeyBeside(reviewerSecretFile: string): string {
  return join(dirname(reviewerSecretFile), 'witness.pem');
}

/** A folder of an issuer elsewhere has no port of its own to begin with. @throws ServerError `server.issuer_changed` */
function requireLocal(dataDir: string, issuerUrl: string): void {
  if (new URL(issuerUrl).hostname === 'localhost') return;
  throw new ServerError(
    'server.issuer_changed',
    `${dataDir} belongs to the issuer ${issuerUrl}: colophon serve --config FILE serves it`,
  );
}

/** As a URL parser writes it: port 80 goes without saying. */
function issuerUrlOf(port: number): string {
  return new URL(`http://localhost:${port}`).origin;
}

function portOf(issuerUrl: string): number {
  return Number(new URL(issuerUrl).port || 80);
}
