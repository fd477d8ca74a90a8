import { createPublicKey, type KeyObject } from 'node:crypto';
import { statSync } from 'node:fs';
import { createAuthority } from '@colophon/authority';
import { type CheckSender, createEvidence } from '@colophon/evidence';
import {
  ApiKeyUses,
  bareAddress,
  CallerError,
  createIssuer,
  type FrozenLedger,
  type Issuer,
  type IssuerLimits,
  type IssuingRules,
  mountDocument,
  staticDocument,
  type WitnessBook,
} from '@colophon/issuer';
import type { JsonValue } from '@colophon/json';
import { KeyRing, openKeyFile, type RingTiming } from '@colophon/keys';
import { isLoopback } from '@colophon/peer';
import type { Namespace } from '@colophon/records';
import { loadTrustedRoots, signStatement, type TrustedRootSource, verifyBundle } from '@colophon/sigstore';
import { openDatabase, SqliteLedger, UsedTokenStore } from '@colophon/store';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { Aside, READ_IN_PLACE_BYTES } from '../aside/aside.ts';
import { LARGE_BODIES_BYTES } from '../body-budget/body-budget.ts';
import { ByteBudget } from '../body-budget/byte-budget.ts';
import { hasAddress } from '../configuration/address-rule.ts';
import type { FurtherIssuer } from '../configuration/configuration.ts';
import type { Role } from '../configuration/configuration-schema.ts';
import {
  dataPaths,
  EMBEDDED_ROOT,
  isTrustedRootOf,
  type TokenAlgorithm,
  tokenKeyRing,
} from '../data-folder/data-folder.ts';
import { OPENAPI_PATH, openApiDocument } from '../openapi/openapi-document.ts';
import { closeWhileEnding, mountHealth } from '../operations/health-endpoints.ts';
import type { Meter } from '../operations/meter.ts';
import type { Readiness } from '../operations/readiness.ts';
import { WatchedLedger } from '../operations/watched-ledger.ts';
import { ownTree } from '../pinned-history/own-trees.ts';
import type { PinnedHistory } from '../pinned-history/pinned-history.ts';
import { QuestionDesk } from '../questions/question-desk.ts';
import { createRegistry } from '../registry/registry.ts';
import { frozenFile, type LedgerRestore, ledgerLineage } from '../restore/ledger-lineage.ts';
import { endedLogs, logsLineage, openFrozenLogs, restoredLogs } from '../restore/logs-lineage.ts';
import { serveSbomFiles } from '../sbom-files/sbom-files.ts';
import { ServerError } from '../server-error/server-error.ts';
import type { ConfiguredTrust } from '../trust-files/configured-trust.ts';
import { trustedRootOf, writeLedgerKey, writeTrustFiles } from '../trust-files/trust-files.ts';
import { verifyKnownReceipt } from '../witnesses/known-receipt.ts';
import type { Closer } from './closers.ts';
import { type Guard, guardCodes, mountFrontDoor } from './front-door.ts';
import { watchKeyRing } from './key-ring-watch.ts';

/** What one process serves, and how. */
export type Composition = {
  readonly dataDir: string;
  /** Holds what is in the data folder against what was signed before; nothing does where it is absent. */
  readonly history?: PinnedHistory | undefined;
  /** The issuer's address; that of this server where more than the issuer is served. */
  readonly url: string;
  readonly roles: readonly Role[];
  /** Whose tokens the authority certifies beside those of the issuer at `url`. */
  readonly furtherIssuers?: readonly FurtherIssuer[] | undefined;
  readonly guard: Guard;
  readonly tokenAlgorithm: TokenAlgorithm;
  /** Of the first token key, where it lies elsewhere than in the data folder. */
  readonly tokenKeyFile?: string | undefined;
  readonly keyTiming?: RingTiming | undefined;
  readonly tokens?: { readonly audiences: readonly string[]; readonly lifetimeSeconds: number } | undefined;
  readonly namespace: Namespace;
  /** Whom the operator trusts beside the embedded authority. */
  readonly trust?: ConfiguredTrust | undefined;
  /** Where nobody is asked who they are: reviewers' tokens for whoever knows it. */
  readonly reviewerSecret?: string | undefined;
  /** What the operator has configured; where it is absent, nothing is, and nobody is asked who they are. */
  readonly rules?: (() => IssuingRules) | undefined;
  /** Whose receipts of agent runs count, at any moment, where nothing is configured: rules name their witnesses. */
  readonly witnesses?: (() => WitnessBook) | undefined;
  /** Issuers whose e-mail certificates are people's, for the evidence store. */
  readonly peopleIssuers?: readonly string[] | undefined;
  readonly limits?: (IssuerLimits & { readonly requestTimeoutMs?: number }) | undefined;
  readonly singleUseTokens?: boolean | undefined;
  readonly ctExtraRoots?: readonly Uint8Array[] | undefined;
  readonly logger: FastifyBaseLogger;
  readonly readiness: Readiness;
  readonly meter: Meter;
  /** Is given whatever has to be closed, in the order in which it was opened. */
  readonly closers: Closer[];
};

/** Opens everything in the data folder and mounts the routes of the roles. */
export async function compose(composition: Composition): Promise<FastifyInstance> {
  const { url, roles, guard, rules, limits, logger, readiness, meter, closers } = composition;
  const paths = dataPaths(composition.dataDir);
  const db = openDatabase(paths.database);
  closers.push(() => db.close());
  closers.push(() => composition.history?.close());

  const ring = tokenKeyRing(composition.dataDir, composition.tokenAlgorithm, composition.tokenKeyFile);
  const signingKeys = new KeyRing(ring, Date.now(), composition.keyTiming);
  const keyWatch = watchKeyRing(signingKeys, logger);
  closers.push(() => keyWatch.close());
  readiness.add({ name: 'token-keys', problem: keyWatch.problem });
  measureKeys(meter, signingKeys, ring.firstKey);
  const lineage = ledgerLineage(db, composition.dataDir, url);
  const ledgerKey = openKeyFile(lineage.keyFile, 'ES256');
  writeLedgerKey(composition.dataDir, ledgerKey.spki);
  const { history } = composition;
  // Before the issuer signs anything.
  history?.hold(ownTree(db, 'ledger', { origin: lineage.origin, publicKey: ledgerKey.publicKey }));
  for (const { frozen, origin } of lineage.restores) {
    history?.retire({ origin: frozen.origin, publicKey: createPublicKey(frozen.public_key) }, origin);
  }
  const { ledger, callers } = openLedger(db, meter);
  closers.push(() => ledger.close());
  readiness.add({ name: 'ledger', problem: () => (ledger.isFailing ? 'issuer.ledger_unavailable' : undefined) });
  const uses = new ApiKeyUses(db, callers);
  closers.push(() => uses.close());
  const issuer = await createIssuer({
    issuerUrl: url,
    ledger,
    signingKeys,
    ledgerKey,
    ledgerOrigin: lineage.origin,
    frozenLedgers: openFrozen(composition.dataDir, lineage.restores, closers),
    ...composition.tokens,
    ...(composition.reviewerSecret === undefined ? {} : { reviewerSecret: composition.reviewerSecret }),
    ...(rules === undefined
      ? {}
      : {
          rules,
          callers: {
            records: callers,
            onKeyUsed: (keyId) => uses.note(keyId, Math.floor(Date.now() / 1000)),
          },
        }),
    witnesses: composition.witnesses,
    servesRuns: servesRuns(composition),
    ...(limits === undefined ? {} : { limits }),
    logger,
    watch: meter,
  });
  closers.push(() => issuer.close());
  readiness.add({ name: 'clock', problem: () => (issuer.hasClockGoneBack() ? 'issuer.clock_went_back' : undefined) });

  const bodies = new ByteBudget(LARGE_BODIES_BYTES);
  const aside = new Aside();
  closers.push(() => aside.close());
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 0,
    bodyLimit: 16 * 1024,
    // What no route has is refused by the same door: neither is answered before the guards and the deadline.
    rewriteUrl: ({ url = '/' }) => (isReadablePath(url) ? url : UNREADABLE_PATH),
    routerOptions: { maxParamLength: LONGEST_PATH },
    // Only a named proxy may say who asks.
    trustProxy:
      typeof guard === 'object' ? (address: string) => hasAddress(guard.proxies, bareAddress(address)) : false,
  });
  const timeoutMs = limits?.requestTimeoutMs;
  mountFrontDoor(app, { guard, bodies, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  closeWhileEnding(app, readiness);
  mountNotFound(app);
  mountHealth(app, readiness);
  mountOpenApi(app, composition);
  await issuer.register(app);
  const opened = { db, issuer, signingKeys, aside };
  const embedded = roles.includes('authority') ? [await mountAuthority(app, composition, opened)] : [];
  const roots = withEmbedded(embedded, composition.trust?.roots ?? [], composition.dataDir);
  if (roles.includes('evidence')) await mountEvidence(app, composition, opened, roots);
  if (roles.includes('registry')) {
    const registry = createRegistry({ folder: paths.registry, bodies, aside });
    closers.push(() => registry.close());
    await registry.register(app);
  }
  if (roles.includes('sboms')) serveSbomFiles(app, paths.sboms);
  history?.follow();
  await app.ready();
  closers.push(() => app.close());
  return app;
}

/**
 * Whoever may ask for tokens over the network must not read about the tokens of others. An issuer with an address of
 * others has something before it that leads here, named or not.
 */
function servesRuns({ guard, url }: Composition): boolean {
  return guard === 'loopback' && isLoopback(url);
}

/** Seconds for which readers may keep the document: another version of the program has another one. */
const OPENAPI_MAX_AGE_SECONDS = 300;

function mountOpenApi(app: FastifyInstance, composition: Composition): void {
  const { roles, guard, rules } = composition;
  const document = openApiDocument({
    roles,
    asksCallers: rules?.().asksCallers ?? false,
    servesRuns: servesRuns(composition),
    guardCodes: guardCodes(guard),
  });
  const served = staticDocument(document);
  mountDocument(app, OPENAPI_PATH, OPENAPI_MAX_AGE_SECONDS, () => served);
}

function openLedger(db: ReturnType<typeof openDatabase>, meter: Meter) {
  const stored = new SqliteLedger(db);
  const ledger = new WatchedLedger(stored, { meter, probe: () => db.probe() });
  meter.gauge('ledger_uncheckpointed_rows', async () => {
    const { rows, head } = await ledger.tail();
    return rows - (head?.size ?? 0);
  });
  return { ledger, callers: stored.callers };
}

/** Rows of a frozen ledger are found and erased, and never added. */
function openFrozen(
  dataDir: string,
  restores: readonly LedgerRestore[],
  closers: Composition['closers'],
): readonly FrozenLedger[] {
  return restores.flatMap((restore) => {
    const file = frozenFile(dataDir, restore);
    if (file === undefined) return [];
    const db = openDatabase(file);
    closers.push(() => db.close());
    return [{ origin: restore.frozen.origin, ledger: new SqliteLedger(db) }];
  });
}

/** The first key of a ring has no date of its own: its file has. */
function measureKeys(meter: Meter, keys: KeyRing, firstKey: string): void {
  meter.gauge('token_key_age_seconds', () => {
    const { from } = keys.signing(Date.now());
    return (Date.now() - (Number.isFinite(from) ? from : statSync(firstKey).mtimeMs)) / 1000;
  });
  meter.gauge('token_key_rotation_seconds', () => {
    const { until } = keys.signing(Date.now());
    return Number.isFinite(until) ? (until - Date.now()) / 1000 : undefined;
  });
}

type Opened = {
  readonly db: ReturnType<typeof openDatabase>;
  readonly issuer: Issuer;
  readonly signingKeys: KeyRing;
  readonly aside: Aside;
};

/** The embedded authority. Answers with the trusted root that vouches for what it certifies. */
async function mountAuthority(
  app: FastifyInstance,
  {
    dataDir,
    url,
    furtherIssuers = [],
    namespace,
    history,
    singleUseTokens = false,
    ctExtraRoots = [],
    closers,
  }: Composition,
  { db, signingKeys, aside }: Opened,
): Promise<TrustedRootSource> {
  const lineage = logsLineage(db, url);
  const { frozen } = openFrozenLogs(dataDir, lineage.restores, { opened: (one) => closers.push(() => one.close()) });
  const authority = await createAuthority({
    db,
    dataDir,
    clock: { now: () => new Date() },
    baseUrl: url,
    trustedIssuers: [url, ...furtherIssuers.map(({ issuer }) => issuer)],
    emailIssuers: furtherIssuers.filter(({ subject }) => subject === 'email').map(({ issuer }) => issuer),
    keySource: {
      findKey: async (iss, kid) => {
        if (iss !== url) return undefined;
        return signingKeys.at(Date.now()).published.find((key) => key.kid === kid)?.publicJwk;
      },
    },
    singleUseTokens,
    claimArc: namespace.claimArc,
    ctExtraRoots,
    logs: restoredLogs(lineage.restores, frozen),
    readBody: (name, body) => aside.read(name, body),
  });
  const { rekorOrigin, rekorPublicKey, ctPublicKey } = authority.trust;
  // Before either log signs anything.
  history?.hold(ownTree(db, 'rekor', { origin: rekorOrigin, publicKey: publicKeyOf(rekorPublicKey) }));
  history?.hold(ownTree(db, 'ct', { origin: lineage.certificateOrigin, publicKey: publicKeyOf(ctPublicKey) }));
  for (const { log, successor } of endedLogs(lineage)) history?.retire(log, successor);
  writeTrustFiles(dataDir, url, authority.trust);
  authority.register(app);
  return {
    name: EMBEDDED_ROOT,
    json: JSON.stringify(trustedRootOf(url, authority.trust)),
    // It certifies nobody else's tokens, so nobody has to write whom it is for.
    issuers: [url, ...furtherIssuers.map(({ issuer }) => issuer)],
  };
}

/**
 * The embedded root, and those of the configuration. One that names the file of the embedded root is that root: it says how
 * results call it.
 */
function withEmbedded(
  embedded: readonly TrustedRootSource[],
  configured: NonNullable<Composition['trust']>['roots'],
  dataDir: string,
): readonly TrustedRootSource[] {
  if (embedded.length === 0) return configured;
  const isOwn = ({ file }: { readonly file: string }) => isTrustedRootOf(dataDir, file);
  const own = configured.find(isOwn);
  const named = embedded.map((root) => (own === undefined ? root : { ...root, name: own.name }));
  return [...named, ...configured.filter((root) => !isOwn(root))];
}

/** The evidence store: it keeps what the roots vouch for, and signs its list with the services that are configured. */
async function mountEvidence(
  app: FastifyInstance,
  {
    url,
    dataDir,
    namespace,
    peopleIssuers = [],
    rules,
    witnesses,
    closers,
    trust: { services } = { roots: [] },
  }: Composition,
  { db, issuer, aside }: Opened,
  roots: readonly TrustedRootSource[],
): Promise<void> {
  const trust = loadTrustedRoots(roots, namespace);
  const beside = JSON.stringify({ roots: roots.map((root) => ({ ...root, json: `${root.json}` })), namespace });
  const signing = services ?? { fulcioUrl: url, rekorUrl: url };
  const questions = new QuestionDesk(dataPaths(dataDir).database);
  closers.push(() => questions.close());
  const evidence = createEvidence({
    db,
    ask: (text) => questions.ask(text),
    predicateBase: namespace.predicateBase,
    peopleIssuers,
    verify: (bundle) =>
      bundle.length <= READ_IN_PLACE_BYTES
        ? verifyBundle({ bundle, trust, policy: 'gated-elsewhere' }).signature
        : aside.read('bundle', bundle, beside),
    checkSender: senderCheck(issuer, db),
    verifyReceipt: (envelope) => {
      const book = rules === undefined ? witnesses?.() : rules().witnesses;
      return verifyKnownReceipt(envelope as JsonValue, book, rules && url);
    },
    sign: async (statement) => {
      const identityToken = () => evidenceToken(issuer);
      return (await signStatement({ ...signing, trust, identityToken, statement })).bundle;
    },
  });
  await evidence.register(app);
}

/** Who may send decisions: as for tokens, and a token that counts once counts for one of either. */
function senderCheck(issuer: Issuer, db: Opened['db']): CheckSender {
  const used = new UsedTokenStore(db, 'used_caller_token');
  const code = 'caller.token_used';
  const refusal = {
    status: CallerError.statusOf(code),
    code,
    message: 'this token was used before: each request needs a new one',
  } as const;
  return async (authorizations) => {
    const entered = await issuer.letDecisionsIn(authorizations);
    if (entered.ok) {
      const { use } = entered;
      return { ok: true, spend: () => (use === undefined || used.use(use.tokenKey, use) ? undefined : refusal) };
    }
    const { status, code, message, retryAfterSeconds } = entered.refusal;
    return { ok: false, refusal: { status, code, message, retryAfterSeconds } };
  };
}

function publicKeyOf(spki: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
}

/** A new token of the evidence store in this process. */
async function evidenceToken(issuer: Issuer): Promise<string> {
  const minted = await issuer.mintForEvidence();
  if (minted.ok) return minted.token;
  throw new Error(`the issuer gives the evidence store no token: ${minted.refusal.code}`);
}

/** Longer than any header that is read. */
const LONGEST_PATH = 1024 * 1024;

/** A path that no route has, in the place of one that has no meaning. */
const UNREADABLE_PATH = '/%25';

/** Whether every escape of the path is one of UTF-8. */
function isReadablePath(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0]!);
    return true;
  } catch {
    return false;
  }
}

function mountNotFound(app: FastifyInstance): void {
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
}
