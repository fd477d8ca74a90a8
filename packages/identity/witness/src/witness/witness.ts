import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Signer } from '@colophon/keys';
import { RECEIPT_LIMITS, type WitnessReceipt } from '@colophon/records';
import { ByteAllowance } from '../body/byte-allowance.ts';
import { ObservedRun, type RunOpening, type RunOutcome } from '../observed-run/observed-run.ts';
import type { SentRequest } from '../proxy/exchange.ts';
import { ModelProxy } from '../proxy/proxy.ts';
import { type ReceiptEnvelope, signReceipt } from '../receipt/receipt-envelope.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** Bytes that all bodies together may keep in memory while they are read. */
const MOST_KEPT_BYTES = 256 * 1024 * 1024;

/** Connections of agents at once: what is beyond them is closed, and leaves files for those who open and end runs. */
const MOST_CONNECTIONS = 4_096;

/** How long a receipt waits for what has passed and is still being read, and the end of a run for what is under way. */
const SETTLE_MS = 5_000;

export type WitnessOptions = {
  /** Signs receipts; ES256. */
  readonly key: Signer;
  readonly place: WitnessReceipt['witness']['place'];
  readonly isolation?: WitnessReceipt['witness']['isolation'];
  readonly upstreams: readonly Upstream[];
  readonly predicateBase?: string | undefined;
  /** Is given each request to a model that could be read. Without it none is kept. */
  readonly keep?: ((request: SentRequest) => void) | undefined;
  readonly now?: () => number;
  readonly random: { bytes(length: number): Uint8Array; uuid(): string };
};

/** A run, and the SHA-256 of the secret part of the base URLs that its agent was given. */
export type KnownRun = { readonly run: ObservedRun; readonly tokenHash: string };

/** A run that was just opened: the secret part itself. */
export type OpenedRun = KnownRun & { readonly token: string };

/** Observes runs: gives each its base URLs, passes its requests on, and signs what it saw. */
export class Witness {
  readonly #options: WitnessOptions;
  readonly #now: () => number;
  /** By the SHA-256 of the token: what is looked up is no secret. */
  readonly #runs = new Map<string, ObservedRun>();
  readonly #proxy: ModelProxy;

  constructor(options: WitnessOptions) {
    if (options.key.alg !== 'ES256') throw new TypeError('a witness signs with ES256');
    checkUpstreams(options.upstreams);
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#proxy = new ModelProxy({
      runOf: (token) => this.#runs.get(hashOf(token)),
      upstreams: new Map(options.upstreams.map((upstream) => [upstream.slot, upstream])),
      allowance: new ByteAllowance(MOST_KEPT_BYTES),
      ...(options.keep === undefined ? {} : { keep: options.keep }),
    });
  }

  /** Begins to observe a run. */
  open(opening: Omit<RunOpening, 'runId' | 'startedAt'>): OpenedRun {
    const { random } = this.#options;
    const run = new ObservedRun({ ...opening, runId: random.uuid(), startedAt: this.#now() });
    const token = Buffer.from(random.bytes(32)).toString('base64url');
    const tokenHash = hashOf(token);
    this.#runs.set(tokenHash, run);
    return { run, token, tokenHash };
  }

  /** Goes on with a run that an earlier process observed: what it saw is lost, and the receipt says so. */
  resume(opening: RunOpening, tokenHash: string): KnownRun {
    const run = ObservedRun.resumed(opening);
    this.#runs.set(tokenHash, run);
    return { run, tokenHash };
  }

  /** Passes no more requests of the run on; what is under way has `SETTLE_MS` to come to its end, and is read. */
  async end({ run, tokenHash }: KnownRun, outcome?: RunOutcome): Promise<void> {
    this.#runs.delete(tokenHash);
    await run.stop(SETTLE_MS);
    run.end(this.#now(), outcome);
  }

  /** The signed receipt of a run as it is now. */
  async receipt(run: ObservedRun): Promise<ReceiptEnvelope> {
    await run.read(SETTLE_MS);
    const { key, place, isolation, predicateBase } = this.#options;
    const witness = { key_id: key.kid, place, ...(isolation === undefined ? {} : { isolation }) };
    return signReceipt(run.receipt(witness, this.#now()), key, predicateBase);
  }

  /** A server of the agents' requests; not listening yet. */
  createProxyServer(tls?: { readonly cert: string; readonly key: string }): Server {
    const rules = {
      requestTimeout: 0,
      headersTimeout: 60_000,
      keepAliveTimeout: 75_000,
      // Another protocol, such as h2c, is an offer: a server that does not take it answers as if there were none.
      shouldUpgradeCallback: ({ headers }: IncomingMessage) => /\bwebsocket\b/i.test(headers.upgrade ?? ''),
    };
    const listener: RequestListener = (request, response) => this.#proxy.handle(request, response);
    const server = tls === undefined ? createServer(rules, listener) : createTlsServer({ ...rules, ...tls }, listener);
    server.maxConnections = MOST_CONNECTIONS;
    server.on('upgrade', (_request, socket) => this.#proxy.refuseUpgrade(socket));
    server.on('connect', (_request, socket) => this.#proxy.refuseTunnel(socket));
    return server;
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** @throws TypeError for more upstreams than a receipt can name, and a credential that no header can hold */
function checkUpstreams(upstreams: readonly Upstream[]): void {
  if (upstreams.length > RECEIPT_LIMITS.upstreams) throw new TypeError('a receipt cannot name so many upstreams');
  for (const { credential } of upstreams) {
    if (credential === undefined) continue;
    validateHeaderName(credential.header);
    validateHeaderValue(credential.header, credential.value);
  }
}
