import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ClusterClient, clusterConnection } from '@colophon/cluster';
import { systemReason } from '@colophon/durable-file';
import { CachedGate, DecisionCache, fileSequencePins, KeptLists, REFRESH_AFTER_MS, sourceOf } from '@colophon/gate';
import type { AdmissionRequest } from '@colophon/kubernetes';
import type { AdmissionDecisionRecord } from '@colophon/records';
import { type CredentialSource, RegistryClient } from '@colophon/sigstore';
import {
  decisionOccurrences,
  EventPoster,
  type LookedAtPods,
  PullSecrets,
  ReviewHandler,
  rejectedRunOccurrence,
} from '@colophon/webhook';
import { openFolder } from '../data-folder/data-folder.ts';
import { operationsHandler } from '../operations/operations-handler.ts';
import { METRICS_TYPE } from '../operations/prometheus-meter.ts';
import { Readiness } from '../operations/readiness.ts';
import { ServerError } from '../server-error/server-error.ts';
import { type Closer, closeAll } from '../start/closers.ts';
import { listenOn } from '../start/listener.ts';
import { type LogLevel, openLog } from '../start/log.ts';
import { listenWithTls } from '../start/tls-listener.ts';
import type { FixedAdmission } from './admission-configuration.ts';
import { admissionEndpoints } from './admission-endpoints.ts';
import { AdmissionMeter } from './admission-meter.ts';
import { openDecisionLog } from './decision-log.ts';
import { openRegistryCredentials } from './registry-credentials.ts';
import { RulesInForce } from './rules-in-force.ts';
import { RunningPodWatch } from './running-pod-watch.ts';

export type AdmissionServiceOptions = {
  /** The configuration file. */
  readonly file: string;
  /** Where secrets that the file names are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logLevel?: LogLevel;
  /** Of the program, for its numbers. */
  readonly version?: string;
  /** The namespace that it runs in; undefined outside of a cluster. */
  readonly ownNamespace?: string | undefined;
  /** How often files are looked at. */
  readonly watchIntervalMs?: number;
};

export type RunningAdmission = {
  /** e.g. `127.0.0.1:8443`. */
  readonly addresses: readonly string[];
  /** Where probes and numbers are answered; absent where the file names no such address. */
  readonly operations?: string;
  close(): Promise<void>;
};

const HEADERS_TIMEOUT_MS = 10_000;
const CLUSTER_TIMEOUT_MS = 2_000;
/** How the file names an API server. */
const IN_FILE = { asked: (url: string) => `cluster: { server: ${url} }` };
/** Anybody can be refused again and again: the log says it once in this time. */
const REFUSED_CLIENT_LOG_MS = 60_000;
/**
 * An API server gives up an idle connection after 90 seconds. One that we ended first could get a review at that moment, and
 * Go sends no POST again: the Pod would be refused.
 */
const KEEP_ALIVE_MS = 120_000;

/**
 * Starts an admission webhook as its configuration file says. A start that fails leaves nothing open.
 * @throws ConfigurationRefused; ServerError `server.tls_unusable`, `server.trust_unusable`, `server.credentials_unusable`,
 * `server.data_folder_unusable`, `server.decision_log_unusable`, `server.port_in_use`
 */
export async function startAdmission(options: AdmissionServiceOptions): Promise<RunningAdmission> {
  const { file, env, logLevel, version = 'unknown', ownNamespace, watchIntervalMs } = options;
  const closers: Closer[] = [];
  try {
    let inForce: RulesInForce | undefined;
    const logger = openLog(logLevel, () => (inForce?.problem === undefined ? {} : { configuration: 'stale' }));
    const readiness = new Readiness();
    const meter = new AdmissionMeter(readiness, version);
    const rules = new RulesInForce(file, {
      ownNamespace,
      onChange: (refused) => {
        meter.reloaded('configuration', refused === undefined ? 'taken' : 'refused');
        logChange(logger, rules.rules, refused);
      },
      ...(watchIntervalMs === undefined ? {} : { intervalMs: watchIntervalMs }),
    });
    inForce = rules;
    closers.push(() => rules.close());
    meter.gauge('configuration_in_force', () => (rules.problem === undefined ? 1 : 0));
    const { fixed } = rules;
    assertAppendable(fixed.decisionLogFile);
    const log = openDecisionLog(fixed.decisionLogFile ?? process.stdout, {
      onLost: () => meter.failed('decision-log'),
      onBroken: (error) => logger.error({ error: String(error) }, 'the decision log cannot be written'),
    });
    closers.push(() => log.close());
    const now = () => new Date();
    const pins = fileSequencePins(pinsFolder(fixed, closers));
    const lists = new KeptLists({
      pins,
      now,
      timeoutMs: fixed.timeoutMs,
      onChange: (from, problem) => {
        if (problem === undefined) logger.info({ list: from }, 'the list of rejections is read');
        else logger.warn({ list: from, error: problem }, 'the list of rejections cannot be read');
      },
      onFailure: () => meter.failed('list'),
    });
    // A list is known, or known to be missing, before a Pod needs it, also where Pods are rare.
    const readLists = () => {
      const { policies, defaultNegatives, trust } = rules.rules;
      for (const policy of policies) void lists.view(sourceOf(policy, defaultNegatives), trust);
    };
    readLists();
    const reading = setInterval(readLists, REFRESH_AFTER_MS / 2).unref();
    closers.push(() => clearInterval(reading));
    const cache = new DecisionCache();
    meter.gauge('admission_remembered_decisions', () => cache.size);
    const gate = new CachedGate({ lists, pins, now, cache });
    const { source: own, close: closeCredentials } = await openRegistryCredentials(fixed.registryCredentials, {
      env,
      watchIntervalMs,
      onChange: (refused) => {
        meter.reloaded('credentials', refused === undefined ? 'taken' : 'refused');
        if (refused === undefined) logger.info({}, 'the credentials of registries were changed');
        else logger.error({ code: refused.code }, `${refused.message}: what was in force before it stays`);
      },
    });
    closers.push(closeCredentials);
    const registry = registryClient(own);
    const secrets = pullSecretsOf(fixed, env, {
      own,
      now,
      onFailure: (error) => {
        meter.failed('pull-secret');
        logger.warn({ error: String(error) }, 'a pull secret cannot be read');
      },
    });
    const cluster = clusterOf(fixed, env);
    const events =
      cluster &&
      new EventPoster({
        cluster,
        instance: hostname(),
        onEvent: (outcome) => {
          if (outcome !== 'posted') meter.failed('event');
        },
      });
    if (events !== undefined) closers.push(() => events.close());
    const onDecision = (record: AdmissionDecisionRecord, { object }: AdmissionRequest) => {
      meter.decided(record);
      log.write(record);
      events?.post(decisionOccurrences(record, object));
    };
    const handler = new ReviewHandler({
      gate,
      rules: () => rules.rules,
      registryFor: (request) => {
        const secret = secrets?.credentialsFor(request);
        if (secret === undefined) return { client: registry, credential: '' };
        return { client: registryClient(secret.source), credential: secret.name };
      },
      now,
      onDecision,
      onUnread: (uid, code) => {
        meter.refusedUnread(code);
        logger.warn({ uid, code }, 'a review could not be read');
      },
      onError: (error) => {
        meter.failed('decision');
        logger.error({ error: error instanceof Error ? error.stack : String(error) }, 'a decision could not be made');
      },
    });
    if (cluster !== undefined) {
      let looked: LookedAtPods | undefined;
      meter.gauge('admission_rejected_images_running', () => looked?.rejected);
      meter.gauge('admission_undecided_images_running', () => looked?.undecided);
      meter.gauge('admission_unknown_images_running', () => looked?.unknown);
      const watch = new RunningPodWatch({
        cluster,
        gate,
        lists,
        rules: () => rules.rules,
        registry,
        now,
        onRejected: (run) => {
          const { pod, place, image, digest, reasons } = run;
          logger.warn({ pod, place, image, digest, reasons: reasons.map(({ code }) => code) }, 'a rejected image runs');
          events?.post([rejectedRunOccurrence(run, now())]);
        },
        onScanned: (numbers) => {
          looked = numbers;
        },
        onError: (error, image) => {
          meter.failed('running-pods');
          if (image === undefined) logger.warn({ error: String(error) }, 'the Pods that run cannot be looked at');
          else logger.warn({ error: String(error), image }, 'it is not known whether an image that runs is rejected');
        },
      });
      closers.push(() => watch.close());
    }
    const operations = fixed.operations && (await listenOn(fixed.operations.address, fixed.operations.port));
    if (operations !== undefined) closers.push(() => operations.close());
    const listener = await listenWithTls(fixed.listen, {
      env,
      closers,
      logger,
      watchIntervalMs,
      readiness,
      meter,
      headersTimeoutMs: HEADERS_TIMEOUT_MS,
      keepAliveMs: KEEP_ALIVE_MS,
      drainMs: fixed.timeoutMs,
      onClientRefused: refusedClients(meter, logger),
    });
    listener.serve(admissionEndpoints({ handler, readiness, meter, timeoutMs: fixed.timeoutMs }));
    operations?.serve(operationsHandler({ readiness, metrics: { type: METRICS_TYPE, page: () => meter.page() } }));
    logger.info({ listens: listener.addresses, ...rulesShown(rules.rules) }, 'admission serving');
    let ending: Promise<void> | undefined;
    const end = async () => {
      readiness.end();
      logger.info({}, 'stopping');
      await delay(fixed.drainMs);
      await closeAll(closers);
    };
    const close = () => {
      ending ??= end();
      return ending;
    };
    const [operationsAddress] = operations?.addresses ?? [];
    return {
      addresses: listener.addresses,
      ...(operationsAddress === undefined ? {} : { operations: operationsAddress }),
      close,
    };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** The API server itself says no more than that the connection ended. */
function refusedClients(meter: AdmissionMeter, logger: ReturnType<typeof openLog>): (reason: string) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (reason) => {
    meter.failed('client-certificate');
    if (performance.now() - saidAt < REFUSED_CLIENT_LOG_MS) return;
    saidAt = performance.now();
    logger.warn({ reason }, 'a client without a certificate of listen.clientCertificates was refused');
  };
}

/** A log that can never be written is a mistake of the file; one that breaks later keeps nobody out. */
function assertAppendable(file: string | undefined): void {
  if (file === undefined) return;
  try {
    // A pipe opens when its reader comes.
    if (statSync(file, { throwIfNoEntry: false })?.isFIFO()) return;
    closeSync(openSync(file, 'a', 0o640));
  } catch (cause) {
    const message = `the decision log ${file} cannot be written: ${systemReason(cause)}`;
    throw new ServerError('server.decision_log_unusable', message, { cause });
  }
}

/** The folder of the file, else one that ends with the process: a replica that is new has seen no list. */
function pinsFolder({ dataDir }: FixedAdmission, closers: Closer[]): string {
  if (dataDir !== undefined) {
    openFolder(dataDir);
    return join(dataDir, 'seen-lists');
  }
  const folder = mkdtempSync(join(tmpdir(), 'colophon-admission-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function registryClient(credentials: CredentialSource): RegistryClient {
  return new RegistryClient({ credentials, timeoutMs: 5_000 });
}

/** @throws ClusterError `cluster.not_configured`, `cluster.server_invalid` */
function pullSecretsOf(
  { pullSecretNamespaces: namespaces, clusterUrl }: FixedAdmission,
  env: AdmissionServiceOptions['env'],
  options: Omit<ConstructorParameters<typeof PullSecrets>[0], 'cluster' | 'namespaces'>,
): PullSecrets | undefined {
  if (namespaces.length === 0) return undefined;
  const cluster = new ClusterClient(clusterConnection(clusterUrl, env, IN_FILE), { timeoutMs: CLUSTER_TIMEOUT_MS });
  return new PullSecrets({ ...options, cluster, namespaces });
}

/** The cluster that is told of decisions; undefined where the file names none. @throws as pullSecretsOf */
function clusterOf({ tellsCluster, clusterUrl }: FixedAdmission, env: AdmissionServiceOptions['env']) {
  if (!tellsCluster) return undefined;
  return new ClusterClient(clusterConnection(clusterUrl, env, IN_FILE), { timeoutMs: CLUSTER_TIMEOUT_MS });
}

/** What whoever changed it wants to see in force, at each replica. */
function rulesShown({ mode, policies }: RulesInForce['rules']) {
  return { mode, policies: policies.map(({ name }) => name) };
}

function logChange(logger: ReturnType<typeof openLog>, rules: RulesInForce['rules'], refused: unknown): void {
  if (refused === undefined) {
    logger.info(rulesShown(rules), 'configuration and policies were changed');
    return;
  }
  const {
    code,
    message,
    issues = [],
  } = refused as {
    readonly code?: string;
    readonly message: string;
    readonly issues?: ReadonlyArray<{ readonly code: string; readonly path: string; readonly line?: number }>;
  };
  const shown = issues.map(({ code, path, line }) => ({ code, path, line }));
  logger.error({ code, issues: shown }, `${message}: what was in force before it stays`);
}
