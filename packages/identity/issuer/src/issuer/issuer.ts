import type { EvidenceTokenClaims } from '@colophon/issuance';
import type { Signer, SigningKeys } from '@colophon/keys';
import { SOURCED_CLAIMS } from '@colophon/records';
import type { LedgerStorage } from '@colophon/store';
import type { FastifyInstance } from 'fastify';
import type { CallerRecords } from '../caller/caller-check.ts';
import type { IssuingRules } from '../caller/issuing-rules.ts';
import { type DiscoveryDocument, discoveryDocument, staticDocument } from '../discovery/discovery.ts';
import { DISCOVERY_PATH, DOCUMENT_MAX_AGE_SECONDS, JWKS_PATH, mountDocument } from '../discovery/discovery-endpoint.ts';
import { type KeySet, KeySetDocument } from '../discovery/key-set-document.ts';
import { IssuingClock } from '../issuing-clock/issuing-clock.ts';
import { ledgerOrigin } from '../ledger/ledger-origin.ts';
import { type ProvenRecord, provenRecord } from '../ledger/ledger-proof.ts';
import { LedgerSequencer } from '../ledger/ledger-sequencer.ts';
import { requireSoundTail } from '../ledger/ledger-tail.ts';
import { LedgerWriter } from '../ledger/ledger-writer.ts';
import { type FrozenLedger, mountLedgerHistory } from '../ledger-endpoint/ledger-endpoint.ts';
import { type LetIn, Minter, type MintResult } from '../minter/minter.ts';
import type { Clock, IssuerWatch, Logger, Random } from '../ports/ports.ts';
import { createSystemRandom, noWatch, silentLogger, systemClock } from '../ports/system.ts';
import { type Rate, RateLimiter } from '../rate-limit/rate-limit.ts';
import type { WitnessBook } from '../receipt/shown-receipt.ts';
import { RefusalLog, type RefusalRecord } from '../refusal-log/refusal-log.ts';
import { createReviewerCheck } from '../reviewer-check/reviewer-check.ts';
import { mountRuns } from '../runs-endpoint/runs-endpoint.ts';
import { BODY_BYTES_WITH_RECEIPT, DEFAULT_BODY_BYTES, mountTokenEndpoint } from '../token-endpoint/token-endpoint.ts';

/** Seconds between a token's `iat` and `exp` (contract §8). */
export const DEFAULT_LIFETIME_SECONDS = 600;

/** What certificate authorities expect as `aud`. */
export const DEFAULT_AUDIENCES: readonly string[] = ['sigstore'];

export type IssuerLimits = {
  /** Bytes of a token request. */
  readonly bodyBytes?: number;
  /** Token requests of one address. */
  readonly rate?: Rate;
  readonly loopbackRate?: Rate;
  readonly trackedAddresses?: number;
  readonly rememberedRefusals?: number;
};

export type IssuerOptions = {
  /** `iss`, byte for byte: an http(s) address without query, fragment and credentials. */
  readonly issuerUrl: string;
  /** Rows, agents' names and tree. */
  readonly ledger: LedgerStorage;
  /** Sign tokens; their algorithm is the issuer's only one. One key that stays: `oneKey` of `keys`. */
  readonly signingKeys: SigningKeys;
  /** Signs the ledger's checkpoints; ES256. */
  readonly ledgerKey: Signer;
  /** Name of the ledger in its checkpoints, where it is not the issuer's first one. */
  readonly ledgerOrigin?: string;
  /** Ledgers that this issuer wrote before and that were frozen: their rows are found, and their checkpoints served. */
  readonly frozenLedgers?: readonly FrozenLedger[];
  /** Audiences that a request may name; the first is the default. */
  readonly audiences?: readonly string[];
  readonly lifetimeSeconds?: number;
  /** A caller that proves it gets a reviewer's token; without it no reviewer is served. */
  readonly reviewerSecret?: string;
  /** Whether `GET /runs/{jti}` is mounted (default true: right for loopback only). */
  readonly servesRuns?: boolean;
  /** What the operator has configured, at any moment; the first answer says whether callers are asked who they are. */
  readonly rules?: () => IssuingRules;
  /** API keys and revoked callers; needed with rules. */
  readonly callers?: { readonly records: CallerRecords; onKeyUsed(keyId: string): void };
  /** Whose receipts of agent runs count, at any moment, where nothing is configured: rules name their witnesses. */
  readonly witnesses?: (() => WitnessBook | undefined) | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly limits?: IssuerLimits;
  readonly logger?: Logger;
  readonly watch?: IssuerWatch;
};

export type Issuer = {
  readonly discovery: DiscoveryDocument;
  /** What is published now. */
  readonly jwks: KeySet;
  /** Name of the ledger in its checkpoints. */
  readonly ledgerOrigin: string;
  /** Mounts discovery document, key set, token endpoint, the ledger's checkpoint and proofs, and, where configured, `/runs/{jti}`. */
  register(fastify: FastifyInstance): Promise<void>;
  /** The token endpoint in process: the same bytes, the same rules, the same ledger; no rate limit. */
  mint(body: Uint8Array, options?: { readonly authorization?: string }): Promise<MintResult>;
  /**
   * A token with the subject `evidence:<host of the issuer>`, in the ledger like every other. For the evidence store in
   * this process: no route leads here.
   */
  mintForEvidence(): Promise<MintResult<EvidenceTokenClaims>>;
  /**
   * Whether whoever shows these `Authorization` headers may send decisions to the evidence store, by the rules of the
   * token endpoint; anybody where no caller is asked who it is. What is to be used up counts once it is written.
   */
  letDecisionsIn(authorizations: readonly string[]): Promise<LetIn>;
  /** The issuance record with its proof; undefined where no such token was issued. */
  run(jti: string): Promise<ProvenRecord | undefined>;
  /** The last refusals, oldest first. */
  refusals(): readonly RefusalRecord[];
  /** Whether the machine's clock went back, so that no token is issued. */
  hasClockGoneBack(): boolean;
  /** Brings all rows under a checkpoint now. */
  integrate(): Promise<void>;
  /** Issues no more, brings all rows under a checkpoint; leaves the ledger open. */
  close(): Promise<void>;
};

const NO_CALLERS: NonNullable<IssuerOptions['callers']> = {
  records: { findKey: () => undefined, isRevoked: () => false },
  onKeyUsed: () => {},
};

/** Names of fields that a refusal record may show. */
const LOGGED_FIELDS: readonly string[] = [...SOURCED_CLAIMS, 'audience', 'grant_type', 'purpose', 'receipt'];

/**
 * An OIDC issuer for agents over one ledger, the keys of its tokens and that of its checkpoints. Rows that an earlier process left without a checkpoint are
 * integrated before it answers.
 * @throws IssuerError issuer.ledger_damaged
 * @throws TypeError for options that contradict each other.
 */
export async function createIssuer(options: IssuerOptions): Promise<Issuer> {
  const {
    issuerUrl,
    ledger,
    signingKeys,
    ledgerKey,
    audiences = DEFAULT_AUDIENCES,
    lifetimeSeconds = DEFAULT_LIFETIME_SECONDS,
    reviewerSecret,
    rules,
    callers = NO_CALLERS,
    servesRuns = true,
    frozenLedgers = [],
    clock = systemClock,
    random = createSystemRandom(),
    limits = {},
    logger = silentLogger,
    watch = noWatch,
  } = options;
  requireOptions(options, audiences, lifetimeSeconds);

  const origin = options.ledgerOrigin ?? ledgerOrigin(issuerUrl);
  const tail = await ledger.tail();
  requireSoundTail(tail, ledgerKey, origin);
  const sequencer = new LedgerSequencer({ ledger, key: ledgerKey, origin, clock, logger });
  await sequencer.integrate();
  sequencer.watch();

  const rateLimits = {
    ...(limits.rate && { rate: limits.rate }),
    ...(limits.loopbackRate && { loopbackRate: limits.loopbackRate }),
    ...(limits.trackedAddresses && { maxAddresses: limits.trackedAddresses }),
  };
  const rates = new RateLimiter(rateLimits);
  // Apart from the addresses: whoever has many of those must not have the callers' forgotten.
  const callerRates = new RateLimiter(rateLimits);
  const issuingClock = new IssuingClock(clock, tail.lastIssuedAt);
  const minter = new Minter({
    issuerUrl,
    audiences,
    lifetimeSeconds,
    signingKeys,
    clock: issuingClock,
    random,
    writer: new LedgerWriter(ledger),
    onAppended: () => sequencer.schedule(),
    isReviewer:
      reviewerSecret === undefined
        ? undefined
        : createReviewerCheck({ secret: reviewerSecret, issuer: issuerUrl, now: () => clock.now() }),
    logger,
    watch,
    rules,
    callers: callers.records,
    witnesses: options.witnesses,
    onKeyUsed: callers.onKeyUsed,
    callerWait: (caller) => callerRates.takeOfCaller(caller, clock.now()),
  });
  const asksCallers = rules?.().asksCallers ?? false;
  const discovery = discoveryDocument(issuerUrl, signingKeys.alg, asksCallers);
  const discoveryBytes = staticDocument(discovery);
  const keySet = new KeySetDocument(signingKeys);
  const refusals = new RefusalLog(logger, LOGGED_FIELDS, limits.rememberedRefusals);

  /** The ledger that has the token: the one that is written, else a frozen one. */
  const holderOf = async (jti: string) => {
    for (const holder of [ledger, ...frozenLedgers.map((frozen) => frozen.ledger)]) {
      const found = await holder.find(jti);
      if (found !== undefined) return { holder, found };
    }
    return undefined;
  };

  const run = async (jti: string): Promise<ProvenRecord | undefined> => {
    const found = (await holderOf(jti))?.found;
    return found && provenRecord(found);
  };

  return {
    discovery,
    get jwks() {
      return keySet.at(clock.now()).keySet;
    },
    ledgerOrigin: origin,
    async register(fastify) {
      // Scopes of their own: parsers, hooks and error handlers in them reach none of the host's routes.
      await fastify.register(async (scope) => {
        mountDocument(scope, DISCOVERY_PATH, DOCUMENT_MAX_AGE_SECONDS, () => discoveryBytes);
        mountDocument(scope, JWKS_PATH, keySet.maxAgeSeconds, () => keySet.at(clock.now()));
        if (servesRuns) mountRuns(scope, run);
      });
      await fastify.register(async (scope) =>
        mountLedgerHistory(scope, { ledger, origin, frozenLedgers, clock, logger }),
      );
      await fastify.register((scope) =>
        mountTokenEndpoint(scope, {
          mint: (ask) => minter.mint(ask),
          asksCallers,
          lifetimeSeconds,
          rates,
          refusals,
          bodyBytes:
            limits.bodyBytes ??
            (options.witnesses === undefined && rules === undefined ? DEFAULT_BODY_BYTES : BODY_BYTES_WITH_RECEIPT),
          clock,
          logger,
          watch,
        }),
      );
    },
    mint: (body, { authorization } = {}) =>
      minter.mint({ body, authorizations: authorization === undefined ? [] : [authorization] }),
    mintForEvidence: () => minter.mintForEvidence(),
    letDecisionsIn: (authorizations) => minter.letDecisionsIn(authorizations),
    run,
    refusals: () => refusals.records(),
    hasClockGoneBack: () => issuingClock.hasGoneBack(),
    integrate: () => sequencer.integrate(),
    async close() {
      await minter.close();
      await sequencer.close();
    },
  };
}

function requireOptions(
  { issuerUrl, ledgerKey, signingKeys, reviewerSecret }: IssuerOptions,
  audiences: readonly string[],
  lifetimeSeconds: number,
): void {
  const url = new URL(issuerUrl);
  if (!['http:', 'https:'].includes(url.protocol)) throw new TypeError('issuerUrl is an http or https address');
  if (/[?#@\s]/.test(issuerUrl)) throw new TypeError('issuerUrl has no query, fragment, credentials or blanks');
  if (url.href.replace(/\/$/, '') !== issuerUrl.replace(/\/$/, '')) {
    throw new TypeError(`issuerUrl is written as a URL parser writes it: ${url.href}`);
  }
  if (ledgerKey.alg !== 'ES256') throw new TypeError('ledgerKey is an ES256 key');
  if (audiences.length === 0 || audiences.includes('')) throw new TypeError('audiences is a list of non-empty texts');
  if (!Number.isSafeInteger(lifetimeSeconds) || lifetimeSeconds < 1)
    throw new TypeError('lifetimeSeconds is 1 or more');
  if (lifetimeSeconds > signingKeys.tokenSeconds) {
    throw new TypeError('no token outlives the time for which its key stays in the key set');
  }
  if (reviewerSecret !== undefined && reviewerSecret.length < 16) {
    throw new TypeError('reviewerSecret has 16 characters or more');
  }
}
