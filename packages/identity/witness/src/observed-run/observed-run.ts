import { formatInstant } from '@colophon/notation';
import { hashPrompt, RECEIPT_LIMITS, type RunEnd, type WitnessReceipt } from '@colophon/records';
import { Observations, type ObservedAnswer } from './observations.ts';

/** What is known of a run when it begins; the hashes as `sha256:<hex>`. */
export type RunOpening = {
  readonly runId: string;
  /** `iss` of the issuer that may take the receipt. */
  readonly issuer?: string;
  readonly caller?: string;
  readonly agentName: string;
  readonly agentVersion: string;
  /** Absent where the agent is given its prompt later: then it is what the first request to a model holds. */
  readonly promptHash?: string;
  readonly policyPackHash: string;
  /** Milliseconds since the epoch, as every time here. */
  readonly startedAt: number;
};

/** How the command ended. */
export type RunOutcome = { readonly reason: RunEnd; readonly exitCode?: number; readonly signal?: string };

/** An exchange from its request until it is over and has been read. */
export type UnderWay = {
  /** What has passed of its answer so far; undefined where nothing has. */
  soFar(): ObservedAnswer | undefined;
  /** Passes nothing more of it on. */
  cut(): void;
  /** Whether all of it has passed that will. */
  readonly isPassed: boolean;
  /** Fulfilled once it has passed, and has been read. */
  readonly over: Promise<void>;
};

/** The hash of a prompt that is empty: nothing was asked. */
const NO_PROMPT = hashPrompt(new Uint8Array());

/** One agent run while it is observed. */
export class ObservedRun {
  readonly opening: RunOpening;
  readonly seen = new Observations();
  readonly #upstreams = new Map<string, WitnessReceipt['upstreams'][number]>();
  #isPromptSeen = false;
  #firstPrompt: string | undefined;
  #promptSearches = 0;
  #requests = 0;
  #contextTokens: { readonly count: number | undefined; readonly request: number } | undefined;
  #endedAt: number | undefined;
  #outcome: RunOutcome | undefined;
  readonly #underWay = new Set<UnderWay>();

  constructor(opening: RunOpening) {
    this.opening = opening;
  }

  /** A run whose beginning an earlier process saw: that is lost, and nothing that comes is its first request. */
  static resumed(opening: RunOpening): ObservedRun {
    const run = new ObservedRun(opening);
    run.seen.unattributed('witness_restarted', {});
    run.promptUnknown();
    run.#contextTokens = { count: undefined, request: 0 };
    return run;
  }

  get isOpen(): boolean {
    return this.#endedAt === undefined;
  }

  /** Undefined while it is open. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  get isPromptSeen(): boolean {
    return this.#isPromptSeen;
  }

  /** Whether one more request is searched for the prompt; counts it. */
  mayLookForPrompt(most: number): boolean {
    this.#promptSearches += 1;
    return this.#promptSearches <= most;
  }

  /** The prompt's hash, as far as it is known. */
  get promptHash(): string | undefined {
    return this.opening.promptHash ?? this.#firstPrompt;
  }

  /** What the first request to a model was given, where nobody said before what it would be. */
  firstPrompt(hash: string): void {
    if (this.promptHash === undefined) this.#firstPrompt = hash;
  }

  /** A model answered to something that nobody could read, before anything else: what comes later is no first prompt. */
  promptUnknown(): void {
    this.firstPrompt(NO_PROMPT);
  }

  /** A model answered a request that holds the prompt. */
  promptSeen(): void {
    this.#isPromptSeen = true;
  }

  /** The number of one more request. */
  nextRequest(): number {
    this.#requests += 1;
    return this.#requests;
  }

  /** Tokens that a request to a model was charged for; those of the first one count, whichever is answered first. */
  contextTokens(count: number, request: number): void {
    if (request < (this.#contextTokens?.request ?? Number.POSITIVE_INFINITY)) this.#contextTokens = { count, request };
  }

  /** A request went there. */
  reached(name: string, address: string): void {
    const key = JSON.stringify([name, address]);
    if (this.#upstreams.size < RECEIPT_LIMITS.upstreams) this.#upstreams.set(key, { name, address });
  }

  /** An exchange that begins; the run is settled once all of them are over. */
  follow(exchange: UnderWay): void {
    this.#underWay.add(exchange);
    void exchange.over.then(() => this.#underWay.delete(exchange));
  }

  /** Fulfilled once everything is over that is under way, or after this time at the latest. */
  settled(withinMs: number): Promise<void> {
    return overWithin([...this.#underWay], withinMs);
  }

  /** Fulfilled once everything has been read that has passed, or after this time at the latest. */
  read(withinMs: number): Promise<void> {
    return overWithin(
      [...this.#underWay].filter(({ isPassed }) => isPassed),
      withinMs,
    );
  }

  /** Lets what is under way go on for this time, and then cuts it: what passed later would be in no receipt. */
  async stop(withinMs: number): Promise<void> {
    await this.settled(withinMs);
    for (const exchange of this.#underWay) exchange.cut();
    await this.settled(withinMs);
  }

  /** The first end counts. */
  end(at: number, outcome?: RunOutcome): void {
    this.#endedAt ??= at;
    this.#outcome ??= outcome;
  }

  /** What was seen, with what is known of answers that are under way: what has passed of them is with the agent. */
  #seenSoFar(): Observations {
    const answers = [...this.#underWay].map((exchange) => exchange.soFar()).filter((answer) => answer !== undefined);
    if (answers.length === 0) return this.seen;
    const seen = this.seen.copy();
    for (const answer of answers) seen.answered(answer);
    return seen;
  }

  /** What a receipt says that is signed now. */
  receipt(witness: WitnessReceipt['witness'], signedAt: number): WitnessReceipt {
    const { runId, issuer, caller, agentName, agentVersion, policyPackHash, startedAt } = this.opening;
    const outcome = this.#outcome;
    return {
      run_id: runId,
      witness,
      ...(issuer === undefined ? {} : { issuer }),
      ...(caller === undefined ? {} : { caller }),
      agent: { name: agentName, version: agentVersion },
      input: {
        prompt_hash: this.promptHash ?? NO_PROMPT,
        prompt_seen: this.#isPromptSeen,
        ...(this.#contextTokens?.count === undefined ? {} : { context_token_count: this.#contextTokens.count }),
      },
      policy: { pack_hash: policyPackHash },
      started_at: formatInstant(startedAt),
      ...(this.#endedAt === undefined ? {} : { ended_at: formatInstant(this.#endedAt) }),
      signed_at: formatInstant(signedAt),
      ...(outcome === undefined
        ? {}
        : {
            outcome: {
              reason: outcome.reason,
              ...(outcome.exitCode === undefined ? {} : { exit_code: outcome.exitCode }),
              ...(outcome.signal === undefined ? {} : { signal: outcome.signal }),
            },
          }),
      upstreams: [...this.#upstreams.values()],
      ...this.#seenSoFar().facts(),
    };
  }
}

async function overWithin(exchanges: readonly UnderWay[], withinMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, withinMs);
  await Promise.race([Promise.all(exchanges.map(({ over }) => over)), promise]);
  clearTimeout(timer);
}
