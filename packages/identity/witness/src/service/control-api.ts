import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { RUN_ENDS, readClaim, type SourcedClaim } from '@colophon/records';
import type { ProviderApi } from '../agent-environment/agent-environment.ts';
import { bytesUpTo } from '../body/bytes-up-to.ts';
import type { RunOpening, RunOutcome } from '../observed-run/observed-run.ts';
import type { AskedRun } from '../observer/observer.ts';
import { agentBaseUrl, type Upstream } from '../upstream/upstream.ts';
import type { KnownRun, Witness } from '../witness/witness.ts';
import { WitnessError, type WitnessErrorCode } from '../witness-error/witness-error.ts';

/** Somebody who may open runs, and the SHA-256 of the secret that shows it. */
export type WitnessCaller = { readonly name: string; readonly secretHash: Uint8Array };

/** An upstream of a service, and whose clients it is for. */
export type ServedUpstream = Upstream & { readonly api: ProviderApi };

/** What is kept of a run while it is open. */
export type JournalEntry = { readonly opening: RunOpening; readonly caller: string; readonly tokenHash: string };

/** Keeps open runs on disk, so that a witness that was killed goes on with them, and says that it was. */
export type RunJournal = {
  /** Before the run's base URLs are known to anybody. */
  opened(entry: JournalEntry): void;
  ended(runId: string): void;
  /** What an earlier process left open. */
  entries(): readonly JournalEntry[];
};

export type ControlOptions = {
  readonly witness: Witness;
  readonly callers: readonly WitnessCaller[];
  /** `iss` of the one issuer that takes the receipts. */
  readonly issuer: string;
  readonly upstreams: readonly ServedUpstream[];
  /** Address at which agents reach the proxy. */
  readonly agentsUrl: string;
  /** Runs that outlive this process; none does where it is absent. */
  readonly journal?: RunJournal;
  readonly logger: { info(fields: object, message: string): void };
  readonly now?: () => number;
};

/** Bytes of a request. */
const MOST_BYTES = 16 * 1024;
/** Runs that are known at once, open or ended. A caller has at most as many as are left: one alone has half of them. */
const MOST_RUNS = 20_000;
/** How long a run that nobody ends is open, and how long an ended one is known. */
export const LONGEST_RUN_MS = 24 * 3_600_000;
const KNOWN_AFTER_MS = 3_600_000;

const PATH = /^\/runs\/([0-9a-f-]{36})\/(end|receipt)$/;

/** Serves those who open runs: `POST /runs`, `POST /runs/{id}/end`, `GET /runs/{id}/receipt`. */
export class ControlApi {
  readonly #options: ControlOptions;
  readonly #now: () => number;
  readonly #runs = new Map<string, { readonly opened: KnownRun; readonly caller: string }>();

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    for (const { opening, caller, tokenHash } of options.journal?.entries() ?? []) {
      // Whoever was taken out of the configuration has no runs.
      if (!options.callers.some(({ name }) => name === caller)) {
        options.journal?.ended(opening.runId);
        options.logger.info({ run_id: opening.runId, caller }, 'run dropped: its caller is not listed any more');
        continue;
      }
      this.#runs.set(opening.runId, { opened: options.witness.resume(opening, tokenHash), caller });
    }
  }

  /** A server for callers; not listening yet. */
  createServer(tls?: { readonly cert: string; readonly key: string }): Server {
    const listener = (request: IncomingMessage, response: ServerResponse) => void this.#handle(request, response);
    const rules = { requestTimeout: 15_000, headersTimeout: 10_000 };
    return tls === undefined ? createServer(rules, listener) : createTlsServer({ ...rules, ...tls }, listener);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { status, body } = await this.#answer(request);
      send(response, status, 'application/json', body);
    } catch (error) {
      const code: WitnessErrorCode =
        error instanceof WitnessError ? (error.code as WitnessErrorCode) : 'witness.internal';
      const status = WitnessError.statusOf(code);
      const detail = error instanceof WitnessError ? error.message : 'something went wrong here';
      if (status === 401) response.setHeader('www-authenticate', 'Bearer');
      send(response, status, 'application/problem+json', { type: 'about:blank', title: detail, status, code, detail });
    }
  }

  /** Ends what has been open for too long, and forgets what ended long ago. */
  async tidy(): Promise<void> {
    const now = this.#now();
    for (const [id, { opened }] of this.#runs) {
      const { endedAt, opening } = opened.run;
      if (endedAt === undefined && now - opening.startedAt > LONGEST_RUN_MS) await this.#end(opened);
      if (endedAt !== undefined && now - endedAt > KNOWN_AFTER_MS) this.#runs.delete(id);
    }
  }

  async #answer(request: IncomingMessage): Promise<{ readonly status: number; readonly body: object }> {
    const caller = this.#callerOf(request);
    const { method, url = '' } = request;
    if (method === 'POST' && url === '/runs') {
      return { status: 201, body: this.#open(caller, await bodyOf(request)) };
    }
    const [, id = '', action] = PATH.exec(url) ?? [];
    const known = this.#runs.get(id);
    // Whose it is not is told nothing about it.
    if (known === undefined || known.caller !== caller)
      throw new WitnessError('witness.run_unknown', 'there is no such run');
    if (action === 'receipt' && method === 'GET') {
      return { status: 200, body: await this.#options.witness.receipt(known.opened.run) };
    }
    if (action !== 'end' || method !== 'POST')
      throw new WitnessError('witness.request_invalid', 'another method is needed here');
    await this.#end(known.opened, outcomeIn(await bodyOf(request)));
    this.#options.logger.info({ run_id: id, caller }, 'run ended');
    return { status: 200, body: await this.#options.witness.receipt(known.opened.run) };
  }

  async #end(run: KnownRun, outcome?: RunOutcome): Promise<void> {
    await this.#options.witness.end(run, outcome);
    this.#options.journal?.ended(run.run.opening.runId);
  }

  #open(caller: string, body: JsonObject): object {
    const own = [...this.#runs.values()].filter((run) => run.caller === caller).length;
    if (own >= MOST_RUNS - this.#runs.size) throw new WitnessError('witness.busy', 'too many runs are known');
    const { witness, issuer, upstreams, agentsUrl, logger } = this.#options;
    const opened = witness.open({ ...askedIn(body), issuer, caller });
    const { runId } = opened.run.opening;
    try {
      this.#options.journal?.opened({ opening: opened.run.opening, caller, tokenHash: opened.tokenHash });
    } catch (error) {
      void witness.end(opened);
      throw error;
    }
    this.#runs.set(runId, { opened, caller });
    logger.info({ run_id: runId, caller }, 'run opened');
    const base_urls: { [api in ProviderApi]?: string } = {};
    // Of several for one API the first one is the agent's.
    for (const upstream of upstreams) base_urls[upstream.api] ??= agentBaseUrl(agentsUrl, opened.token, upstream);
    return { run_id: runId, base_urls };
  }

  #callerOf({ headers }: IncomingMessage): string {
    const [, secret = ''] = /^Bearer +([!-~]+)$/i.exec(headers.authorization ?? '') ?? [];
    const shown = createHash('sha256').update(secret).digest();
    const caller = this.#options.callers.find(({ secretHash }) => timingSafeEqual(secretHash, shown));
    if (secret !== '' && caller !== undefined) return caller.name;
    throw new WitnessError(
      'witness.unauthorized',
      'the witness wants the credential of a caller: Authorization: Bearer CREDENTIAL',
    );
  }
}

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const bytes = await bytesUpTo(request, MOST_BYTES);
  if (bytes === undefined) throw new WitnessError('witness.request_invalid', 'the request is larger than 16 KiB');
  const parsed = parseStrictJson(bytes);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new WitnessError('witness.request_invalid', 'the request is no strict JSON object');
}

function askedIn(body: JsonObject): AskedRun {
  const claim = (name: SourcedClaim) => {
    const value = body[name];
    const read = typeof value === 'string' ? readClaim(name, value) : undefined;
    if (read === undefined)
      throw new WitnessError('witness.request_invalid', `${name} is missing, or has another form`);
    return read;
  };
  return {
    agentName: claim('agent_name'),
    agentVersion: claim('agent_version'),
    policyPackHash: claim('policy_pack_hash'),
    ...(body['prompt_hash'] === undefined ? {} : { promptHash: claim('prompt_hash') }),
  };
}

function outcomeIn({ reason, exit_code, signal }: JsonObject): RunOutcome {
  const end = RUN_ENDS.find((known) => known === reason);
  const isCode =
    exit_code === undefined || (Number.isSafeInteger(exit_code) && Number(exit_code) >= 0 && Number(exit_code) < 256);
  const isSignal = signal === undefined || (typeof signal === 'string' && /^SIG[A-Z0-9]{1,12}$/.test(signal));
  if (end === undefined || !isCode || !isSignal)
    throw new WitnessError('witness.request_invalid', 'the end of the run is not said in a known form');
  return {
    reason: end,
    ...(exit_code === undefined ? {} : { exitCode: Number(exit_code) }),
    ...(signal === undefined ? {} : { signal: String(signal) }),
  };
}

function send(response: ServerResponse, status: number, type: string, body: object): void {
  // A body that was not read to its end is not waited for.
  response
    .writeHead(status, { 'content-type': type, 'cache-control': 'no-store', connection: 'close' })
    .end(JSON.stringify(body));
}
