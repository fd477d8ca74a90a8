import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_LOOPBACK_RATE, type IssuingRules, type WitnessBook } from '@colophon/issuer';
import {
  createDiscoveredKeys,
  createFileKeys,
  createPublishedKeys,
  type KeySource,
  type TrustedIssuer,
} from '@colophon/oidc';
import { networksOf } from '../configuration/address-rule.ts';
import type { CallerIssuer, FixedConfiguration, LiveConfiguration } from '../configuration/configuration.ts';
import type { ConfigurationRefused } from '../configuration/configuration-file.ts';
import { ConfigurationInForce } from '../configuration/configuration-in-force.ts';
import { bindInstallation, lockDataFolder, namespaceOf, readInstallation } from '../data-folder/data-folder.ts';
import { type Meter, NO_METER } from '../operations/meter.ts';
import { operationsHandler } from '../operations/operations-handler.ts';
import { Readiness } from '../operations/readiness.ts';
import { openPinnedHistory, pinsBeside } from '../pinned-history/pins-place.ts';
import { readConfiguredTrust } from '../trust-files/configured-trust.ts';
import { FollowedWitnesses } from '../witnesses/followed-witnesses.ts';
import { type Closer, closeAll } from './closers.ts';
import { compose } from './composition.ts';
import { dataFolderError } from './data-folder-error.ts';
import type { Guard } from './front-door.ts';
import { BOUNDED_BY_ROUTE, listenOn } from './listener.ts';
import { type LogLevel, openLog } from './log.ts';
import { openReviewerSecret } from './reviewer-secret.ts';
import type { RunningServer } from './start-server.ts';
import { listenWithTls } from './tls-listener.ts';

export type ServeOptions = {
  /** The configuration file. */
  readonly file: string;
  /** Where secrets that the file names are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File with the local reviewers' secret; used where no caller is asked who it is. */
  readonly reviewerSecretFile: string;
  /** Folder of the pins, where the file names none. Default: `pins` beside the reviewers' secret. */
  readonly pinsFolder?: string;
  readonly logLevel?: LogLevel;
  /** Of the program, for its numbers. */
  readonly version?: string;
  /** How often files are looked at. */
  readonly watchIntervalMs?: number;
};

/**
 * Starts what a configuration file says. Answers once everything is served; a start that fails leaves nothing open.
 * Callers, their rights and the registries follow the file while it runs.
 * @throws ConfigurationRefused; ServerError `server.tls_unusable` and those of startServer
 */
export async function serveConfiguration(options: ServeOptions): Promise<RunningServer> {
  const { file, env, watchIntervalMs } = options;
  const closers: Closer[] = [];
  let dataDir = '';
  const readiness = new Readiness();
  let meter: Meter = NO_METER;
  try {
    let inForce: ConfigurationInForce | undefined;
    // As long as a changed file is not in force, each line says so.
    const logger = openLog(options.logLevel, () => (inForce?.problem === undefined ? {} : { configuration: 'stale' }));
    const configuration = new ConfigurationInForce(file, {
      onChange: (refused) => {
        meter.reloaded('configuration', refused === undefined ? 'taken' : 'refused');
        logChange(logger, refused, configuration.live);
      },
      ...(watchIntervalMs === undefined ? {} : { intervalMs: watchIntervalMs }),
    });
    inForce = configuration;
    closers.push(() => configuration.close());
    readiness.add({
      name: 'configuration',
      problem: () => (configuration.problem === undefined ? undefined : 'server.configuration_invalid'),
    });
    const { fixed } = configuration;
    dataDir = fixed.dataDir;
    closers.push(lockDataFolder(dataDir));
    const installation = installationOf(fixed);
    const namespace = namespaceOf(installation);
    if (readInstallation(dataDir) !== undefined) bindInstallation(dataDir, installation);
    const trust = readConfiguredTrust(fixed.trust ?? {}, new Date());
    const operations = await openOperations(fixed, { closers, readiness, version: options.version });
    meter = operations.meter;
    meter.gauge('configuration_in_force', () => (configuration.problem === undefined ? 1 : 0));
    const listener = await listenWithTls(fixed.listen, {
      env,
      closers,
      logger,
      watchIntervalMs,
      readiness,
      meter,
      headersTimeoutMs: fixed.limits.headerSeconds * 1000,
      requestTimeoutMs: BOUNDED_BY_ROUTE,
      // What an answer may wait for is bounded by the request's own time.
      drainMs: fixed.limits.requestSeconds * 1000,
    });
    const place = fixed.pinsFolder ?? options.pinsFolder ?? pinsBeside(options.reviewerSecretFile);
    const history = openPinnedHistory(place, dataDir, logger);
    // What a start began to ask is asked to its end: a file that loses its last caller opens nothing.
    const asksCallers = configuration.live.callerList.length > 0;
    const { limits, tokens } = fixed;
    const witnesses = new FollowedWitnesses(file, configuration.live, {
      predicateBase: namespace.predicateBase,
      onUnusable: ({ code, message }) => logger.error({ code }, `${message}: no receipt counts until it can`),
    });
    const app = await compose({
      dataDir,
      url: fixed.issuer,
      roles: fixed.roles,
      furtherIssuers: fixed.furtherIssuers,
      guard: guardOf(fixed),
      tokenAlgorithm: installation.token_algorithm,
      tokenKeyFile: tokens.keyFile,
      keyTiming: { cacheSeconds: tokens.keyCacheSeconds, tokenSeconds: tokens.lifetimeSeconds },
      tokens,
      namespace,
      trust,
      history,
      rules: followRules(configuration, {
        audience: fixed.issuer,
        asksCallers,
        meter,
        witnesses: (live) => witnesses.of(live),
      }),
      ...(asksCallers ? {} : { reviewerSecret: openReviewerSecret(options.reviewerSecretFile) }),
      peopleIssuers: fixed.reviews === undefined ? [] : [fixed.reviews.login.issuer],
      limits: {
        bodyBytes: limits.bodyBytes,
        rate: { perSecond: limits.requestsPerSecond, burst: limits.burst },
        // All callers of this machine share one address.
        loopbackRate: {
          perSecond: Math.max(DEFAULT_LOOPBACK_RATE.perSecond, limits.requestsPerSecond),
          burst: Math.max(DEFAULT_LOOPBACK_RATE.burst, limits.burst),
        },
        requestTimeoutMs: limits.requestSeconds * 1000,
      },
      logger,
      readiness,
      meter,
      closers,
    });
    bindInstallation(dataDir, installation);
    listener.serve((request, response) => app.routing(request, response));
    operations.serve();
    logger.info({ issuer: fixed.issuer, hash: configuration.live.hash, listens: listener.addresses }, 'serving');
    let ending: Promise<void> | undefined;
    const end = async () => {
      readiness.end();
      logger.info({}, 'stopping');
      await delay(fixed.listen.drainSeconds * 1000);
      await listener.close();
      await closeAll(closers);
      logger.info({}, 'stopped');
    };
    const close = () => {
      ending ??= end();
      return ending;
    };
    return {
      url: fixed.issuer,
      addresses: listener.addresses,
      operations: operations.address,
      namespace,
      unpinned: history?.unpinned ?? [],
      close,
    };
  } catch (error) {
    await closeAll(closers);
    throw dataDir === '' ? error : dataFolderError(dataDir, error);
  }
}

function logChange(
  logger: ReturnType<typeof openLog>,
  refused: ConfigurationRefused | undefined,
  { hash }: LiveConfiguration,
): void {
  if (refused === undefined) {
    logger.info({ hash }, 'the configuration was changed');
    return;
  }
  const { code, message } = refused;
  const issues = refused.issues.map(({ code, path, line }) => ({ code, path, line }));
  logger.error({ code, issues }, `${message}: what was in force before it stays`);
}

function installationOf({ issuer, dataDir, tokens, namespace: { predicateBase, claimArc } }: FixedConfiguration) {
  return {
    issuer_url: issuer,
    token_algorithm: tokens.algorithm ?? readInstallation(dataDir)?.token_algorithm ?? 'RS256',
    ...(predicateBase === undefined ? {} : { predicate_base: predicateBase }),
    ...(claimArc === undefined ? {} : { claim_arc: claimArc }),
  };
}

function guardOf({ listen: { isLoopback, trustedProxies } }: FixedConfiguration): Guard {
  if (trustedProxies !== undefined) return { proxies: networksOf(trustedProxies) };
  return isLoopback ? 'loopback' : 'public';
}

/** Takes the operator's address, where there is one; it answers once everything else does. */
async function openOperations(
  { operations, limits }: FixedConfiguration,
  { closers, readiness, version = 'unknown' }: { closers: Closer[]; readiness: Readiness; version: string | undefined },
): Promise<{ readonly meter: Meter; readonly address?: string; serve(): void }> {
  if (operations === undefined) return { meter: NO_METER, serve() {} };
  const { METRICS_TYPE, PrometheusMeter } = await import('../operations/prometheus-meter.ts');
  const meter = new PrometheusMeter(readiness, version);
  const listener = await listenOn(operations.address, operations.port, {
    requestTimeoutMs: limits.requestSeconds * 1000,
  });
  closers.push(() => listener.close());
  const metrics = { type: METRICS_TYPE, page: () => meter.page() };
  return {
    meter,
    address: listener.addresses[0]!,
    serve: () => listener.serve(operationsHandler({ readiness, metrics })),
  };
}

/**
 * The rules of the configuration in force, with the witnesses that it lists, made once for each; keys of issuers stay known
 * over changes.
 */
function followRules(
  configuration: ConfigurationInForce,
  {
    audience,
    asksCallers,
    meter,
    witnesses,
  }: {
    readonly audience: string;
    readonly asksCallers: boolean;
    readonly meter: Meter;
    readonly witnesses: (live: LiveConfiguration) => WitnessBook;
  },
): () => IssuingRules {
  const sources = new Map<string, KeySource>();
  let made: { readonly live: LiveConfiguration; readonly rules: IssuingRules } | undefined;
  return () => {
    const { live } = configuration;
    if (made?.live !== live) {
      const kept = new Map(sources);
      sources.clear();
      for (const { issuer, keys } of live.callerIssuers) {
        const name = JSON.stringify([issuer, keys]);
        sources.set(name, kept.get(name) ?? keySourceOf({ issuer, keys }, meter));
      }
      const trustedIssuers = new Map<string, TrustedIssuer>(
        live.callerIssuers.map(({ issuer, kind, maxAgeSeconds, keys }) => [
          issuer,
          { issuer, kind, maxAgeSeconds, audience, keys: sources.get(JSON.stringify([issuer, keys]))! },
        ]),
      );
      const { hash, callers, registry, requiredClaims, requiredSources } = live;
      made = { live, rules: { hash, asksCallers, callers, trustedIssuers, registry, requiredClaims, requiredSources } };
    }
    const book = witnesses(live);
    if (made.rules.witnesses !== book) made = { live, rules: { ...made.rules, witnesses: book } };
    return made.rules;
  };
}

function keySourceOf({ issuer, keys }: Pick<CallerIssuer, 'issuer' | 'keys'>, meter: Meter): KeySource {
  const onAsked = (fault: string | undefined) => meter.keysAsked(fault);
  const clock = { now: () => new Date() };
  const contents = issuer.startsWith('spiffe://') ? 'spiffe-bundle' : 'key-set';
  if (keys.from === 'file') return createFileKeys({ path: keys.file, contents });
  if (keys.from === 'discovery') return createDiscoveredKeys({ fetch, clock, caFile: keys.caFile, onAsked });
  const { url, caFile, bearerFile } = keys;
  return createPublishedKeys({ url, contents, caFile, bearerTokenFile: bearerFile, fetch, clock, onAsked });
}
