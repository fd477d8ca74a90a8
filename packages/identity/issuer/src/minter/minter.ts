import {
  decideClaims,
  type EvidenceTokenClaims,
  evidenceClaims,
  type IssuanceContext,
  type IssuanceRefusal,
} from '@colophon/issuance';
import type { Signer, SigningKeys } from '@colophon/keys';
import {
  type IdentityTokenClaims,
  parseTokenRequest,
  REVIEWER_PROOF_SCHEME,
  readTokenRequest,
  type TokenRequest,
} from '@colophon/records';
import { type AgentName, StoreError, type TokenUse } from '@colophon/store';
import { type CallerRecords, checkCaller, type ProvenCaller } from '../caller/caller-check.ts';
import type { IssuingRules } from '../caller/issuing-rules.ts';
import { RefusedCredential } from '../caller/refused-credential.ts';
import type { CallerErrorCode } from '../caller-error/caller-error.ts';
import type { IssuingClock } from '../issuing-clock/issuing-clock.ts';
import { newLeaf, SALT_BYTES } from '../ledger/ledger-leaf.ts';
import type { LedgerWriter } from '../ledger/ledger-writer.ts';
import type { IssuerWatch, Logger, Random } from '../ports/ports.ts';
import { type TakenReceipt, takeReceipt, type WitnessBook } from '../receipt/shown-receipt.ts';
import type { ReviewerCheck } from '../reviewer-check/reviewer-check.ts';
import type { TokenExchange } from '../token-endpoint/form-request.ts';
import { refusedCaller, refusedWith, refuseIssues, type TokenRefusal } from '../token-refusal/token-refusal.ts';

/** A token in compact form (RFC 7519) that is in the ledger, or why there is none. */
export type MintResult<Claims = IdentityTokenClaims> =
  | { readonly ok: true; readonly token: string; readonly claims: Claims }
  | { readonly ok: false; readonly refusal: TokenRefusal };

/** Whether a caller is let in: with what its credential leaves to be used up, or why not. */
export type LetIn =
  | { readonly ok: true; readonly use: TokenUse | undefined }
  | { readonly ok: false; readonly refusal: TokenRefusal };

export type MinterOptions = {
  readonly issuerUrl: string;
  readonly audiences: readonly string[];
  readonly lifetimeSeconds: number;
  readonly signingKeys: SigningKeys;
  readonly clock: IssuingClock;
  readonly random: Random;
  readonly writer: LedgerWriter;
  /** Told of each row that the ledger has taken. */
  readonly onAppended: () => void;
  /** Tells whether an Authorization header proves the reviewer's secret; absent where no reviewer is served. */
  readonly isReviewer: ReviewerCheck | undefined;
  readonly logger: Logger;
  readonly watch: IssuerWatch;
  /** What the operator has configured now; absent where nothing is. */
  readonly rules: (() => IssuingRules) | undefined;
  readonly callers: CallerRecords;
  /** Whose receipts count now where nothing is configured; with rules these say it. */
  readonly witnesses: (() => WitnessBook | undefined) | undefined;
  /** Told of each API key that let a request in. */
  readonly onKeyUsed: (keyId: string) => void;
  /** Takes one request of a caller: 0 where it may go on, else the seconds to wait. */
  readonly callerWait: (caller: string) => number;
};

/** One request for a token. */
export type TokenAsk = {
  /** The raw request: JSON as of contract §2.2, unless it is a token exchange. */
  readonly body: Uint8Array;
  readonly exchange?: TokenExchange | undefined;
  /** The values of every `Authorization` header. */
  readonly authorizations: readonly string[];
};

/** How long a caller should wait after the keys of its issuer could not be had. */
const KEYS_RETRY_SECONDS = 10;

/** How long a caller should wait after the ledger could not be written. */
const LEDGER_RETRY_SECONDS = 5;

/** From the bytes of a request to a token that is in the ledger: the one path on which tokens are made. */
export class Minter {
  readonly #options: MinterOptions;
  /** `base64url(header).` of the key that signed last: the same for every token of a key. */
  #header: { readonly signer: Signer; readonly segment: string } | undefined;
  /** Fulfilled once nothing is under way any more: no name is looked up, no row appended, no token signed. */
  readonly #idle = Promise.withResolvers<void>();
  #underWay = 0;
  #isClosed = false;

  constructor(options: MinterOptions) {
    this.#options = options;
  }

  /** Every refusal is a value. */
  async mint(ask: TokenAsk): Promise<MintResult> {
    if (this.#isClosed) return { ok: false, refusal: CLOSED };
    this.#underWay += 1;
    try {
      return await this.#answer(ask, this.#inForce());
    } catch (error) {
      if (error instanceof RefusedCredential) return { ok: false, refusal: this.#refuseCredential(error) };
      throw error;
    } finally {
      this.#leave();
    }
  }

  /** Taken once for each request, before anything is awaited: what changes meanwhile is for the next one. */
  #inForce(): InForce {
    const rules = this.#options.rules?.();
    return { rules, witnesses: rules === undefined ? this.#options.witnesses?.() : rules.witnesses };
  }

  async #answer(ask: TokenAsk, { rules, witnesses }: InForce): Promise<MintResult> {
    const proven = rules?.asksCallers ? await this.#letIn(ask, rules) : undefined;
    const named = proven === undefined ? {} : { caller: proven.caller.name };
    const refuse = (refusal: TokenRefusal) => ({ ok: false, refusal: { ...refusal, ...named } }) as const;
    const waitSeconds = proven === undefined ? 0 : this.#options.callerWait(proven.caller.name);
    if (waitSeconds > 0) return refuse({ ...CALLER_RATE_LIMITED, retryAfterSeconds: waitSeconds });
    const parsed = ask.exchange === undefined ? parseTokenRequest(ask.body) : readTokenRequest(ask.exchange.context);
    if (!parsed.ok) return refuse(refuseIssues(parsed.issues));
    const request = parsed.value;
    const shown = this.#receiptOf(request, proven, witnesses);
    if (shown?.ok === false) return refuse(shown.refusal);
    const grounds: Grounds = { rules, proven, request, receipt: shown?.taken };
    if (request.purpose === 'review') {
      const refusal = proven === undefined ? this.#refuseReviewer(ask) : undefined;
      return refusal === undefined ? this.#issue(decisionOf(grounds), grounds) : refuse(refusal);
    }
    let registered: AgentName | undefined;
    try {
      registered = await this.#options.writer.findName(request.agent_name);
    } catch (error) {
      return this.#withoutLedger(error);
    }
    // Nothing is awaited from here to the append, so of two first requests the second sees what the first reserved.
    const name = this.#nameOf(request.agent_name, registered, rules);
    const id = rules?.registry.agent(request.agent_name)?.id;
    const registeredAs = name.entry.agent_name;
    const isOthers = id !== undefined && id !== name.entry.agent_id;
    const taken = isOthers
      ? AGENT_ID_CHANGED
      : registeredAs === request.agent_name
        ? undefined
        : nameCase(registeredAs);
    return this.#issue(decisionOf(grounds), { ...grounds, name, taken });
  }

  #receiptOf(request: TokenRequest, proven: ProvenCaller | undefined, book: WitnessBook | undefined) {
    if (request.purpose === 'review' || request.receipt === undefined) return undefined;
    const { issuerUrl, clock } = this.#options;
    const now = Math.floor(clock.nowMs() / 1000);
    const at = { caller: proven?.caller.name, issuer: issuerUrl, now };
    return takeReceipt(request.receipt, request, book, at);
  }

  /** Whether a request for no token may be answered: who sends decisions, where callers are asked who they are. */
  async letDecisionsIn(authorizations: readonly string[]): Promise<LetIn> {
    const rules = this.#options.rules?.();
    if (!rules?.asksCallers) return { ok: true, use: undefined };
    try {
      const { caller, use } = await this.#letIn({ authorizations }, rules);
      const refuse = (refusal: TokenRefusal) => ({ ok: false, refusal: { ...refusal, caller: caller.name } }) as const;
      const waitSeconds = this.#options.callerWait(caller.name);
      if (waitSeconds > 0) return refuse({ ...CALLER_RATE_LIMITED, retryAfterSeconds: waitSeconds });
      if (caller.rights.decisions) return { ok: true, use };
      const message = `callers[${caller.name}].may.decisions does not let it send decisions`;
      return refuse({ ...refusedCaller('caller.decisions_not_allowed'), message });
    } catch (error) {
      if (error instanceof RefusedCredential) return { ok: false, refusal: this.#refuseCredential(error) };
      throw error;
    }
  }

  async #letIn({ authorizations, exchange }: Omit<TokenAsk, 'body'>, rules: IssuingRules): Promise<ProvenCaller> {
    const { callers, clock, watch } = this.#options;
    const presented = { authorizations, subjectToken: exchange?.subjectToken };
    const proven = await checkCaller(presented, rules, callers, Math.floor(clock.nowMs() / 1000));
    watch.credential(proven.keyId === undefined ? 'token' : 'api-key', undefined);
    if (proven.keyId !== undefined) this.#options.onKeyUsed(proven.keyId);
    return proven;
  }

  /** A token for the evidence store in this process; no request of anybody leads here. */
  async mintForEvidence(): Promise<MintResult<EvidenceTokenClaims>> {
    if (this.#isClosed) return { ok: false, refusal: CLOSED };
    return this.#issue((context) => ({ ok: true, claims: evidenceClaims(context) }), {});
  }

  /** Refuses what is asked from now on; fulfilled once every request that was let in has its answer. */
  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay === 0) this.#idle.resolve();
    return this.#idle.promise;
  }

  async #issue<Claims extends EvidenceTokenClaims>(
    decide: (context: IssuanceContext) => { readonly ok: true; readonly claims: Claims } | IssuanceRefusal,
    { rules, proven, receipt, name, taken }: Partial<Grounds> & NameOfAgent,
  ): Promise<MintResult<Claims>> {
    const { issuerUrl, audiences, lifetimeSeconds, signingKeys, clock, random, writer, onAppended, logger } =
      this.#options;
    const named = proven === undefined ? {} : { caller: proven.caller.name };
    const issuedAt = clock.issuedAt();
    if (issuedAt === undefined) return { ok: false, refusal: { ...CLOCK_WENT_BACK, ...named } };
    const decision = decide({
      issuer: issuerUrl,
      audiences,
      issuedAt,
      lifetimeSeconds,
      jti: random.uuid(),
      ...(name === undefined ? {} : { agentId: name.entry.agent_id }),
    });
    if (!decision.ok || taken !== undefined) {
      return { ok: false, refusal: { ...refuseDecision(decision, taken), ...named } };
    }
    const { claims } = decision;
    const payload = JSON.stringify(claims);
    const bytes = Buffer.from(payload);
    const salt = random.bytes(SALT_BYTES);
    const authorization = authorizationOf(rules, proven, receipt);
    const content = { jti: claims.jti, issued_at: issuedAt, salt, payload, authorization };
    const row = { ...content, ...newLeaf(content) };
    this.#underWay += 1;
    try {
      try {
        await writer.append(row, name?.isNew ? name.entry : undefined, proven?.use);
      } catch (error) {
        // Whose identifier the configuration gives keeps it; a name that another process has just registered is found later.
        const isGiven = name?.isNew && rules?.registry.agent(name.entry.agent_name)?.id !== undefined;
        if (isGiven && error instanceof StoreError && error.code === 'store.conflict') {
          return { ok: false, refusal: { ...AGENT_ID_CHANGED, ...named } };
        }
        if (error instanceof StoreError && error.code === 'store.token_used')
          return { ok: false, refusal: { ...TOKEN_USED, ...named } };
        return this.#withoutLedger(error);
      }
      onAppended();
      // Only now does a token exist: a signature is made for what is already on disk.
      const { signer } = signingKeys.at(issuedAt * 1000);
      const signingInput = this.#headerSegment(signer) + bytes.toString('base64url');
      const { buffer, byteOffset, length } = await signer.signJose(Buffer.from(signingInput, 'latin1'));
      const signature = Buffer.from(buffer, byteOffset, length);
      logger.info({ jti: claims.jti, ...named }, 'token issued');
      return { ok: true, token: `${signingInput}.${signature.toString('base64url')}`, claims };
    } finally {
      this.#leave();
    }
  }

  #refuseCredential({ code, message, kind, caller, cause }: RefusedCredential): TokenRefusal {
    this.#options.watch.credential(kind, code);
    const refusal = { ...refusedCaller(code), message, ...(caller === undefined ? {} : { caller }) };
    if (refusal.status < 500) return refusal;
    this.#options.logger.error(
      { code, err: cause },
      'a caller was not let in: the keys of its issuer are not to be had',
    );
    return { ...refusal, retryAfterSeconds: KEYS_RETRY_SECONDS };
  }

  #headerSegment(signer: Signer): string {
    if (this.#header?.signer !== signer) {
      const { alg, kid } = signer;
      const segment = `${Buffer.from(JSON.stringify({ alg, kid, typ: 'JWT' })).toString('base64url')}.`;
      this.#header = { signer, segment };
    }
    return this.#header.segment;
  }

  #withoutLedger(error: unknown): { readonly ok: false; readonly refusal: TokenRefusal } {
    this.#options.logger.error(
      { code: LEDGER_UNAVAILABLE.code, err: error },
      'a token was not issued: the ledger cannot be read or written',
    );
    return { ok: false, refusal: LEDGER_UNAVAILABLE };
  }

  #leave(): void {
    this.#underWay -= 1;
    if (this.#isClosed && this.#underWay === 0) this.#idle.resolve();
  }

  #nameOf(name: string, registered: AgentName | undefined, rules: IssuingRules | undefined): NamedAgent {
    if (registered !== undefined) return { entry: registered, isNew: false };
    const { writer, random } = this.#options;
    const reserved = writer.reservedName(name);
    if (reserved !== undefined) return { entry: reserved, isNew: true };
    return { entry: { agent_name: name, agent_id: rules?.registry.agent(name)?.id ?? random.uuid() }, isNew: true };
  }

  #refuseReviewer({ authorizations: [authorization], body }: TokenAsk): TokenRefusal | undefined {
    const { isReviewer } = this.#options;
    if (isReviewer === undefined) return REVIEW_NOT_OFFERED;
    return isReviewer(authorization, body) ? undefined : REVIEWER_SECRET_REQUIRED;
  }
}

type NamedAgent = { readonly entry: AgentName; readonly isNew: boolean };

/** The agent of a request, and why it cannot have its name. */
type NameOfAgent = { readonly name?: NamedAgent; readonly taken?: TokenRefusal | undefined };

/** What the operator has configured at the moment at which a request began. */
type InForce = { readonly rules: IssuingRules | undefined; readonly witnesses: WitnessBook | undefined };

/** What a request goes by from its beginning to its end. */
type Grounds = {
  readonly rules: IssuingRules | undefined;
  readonly proven: ProvenCaller | undefined;
  readonly request: TokenRequest;
  readonly receipt: TakenReceipt | undefined;
};

function decisionOf({ rules, proven, request, receipt }: Grounds) {
  const witnessed = receipt === undefined ? [] : [receipt.evidence];
  const servedModels = receipt?.servedModels ?? [];
  if (rules === undefined) {
    return (context: IssuanceContext) => decideClaims(request, { ...context, evidence: witnessed, servedModels });
  }
  const { registry, requiredClaims = [], requiredSources = {} } = rules;
  const { caller, evidence = [], trigger } = proven ?? {};
  const confirmed = {
    ...(caller && { caller }),
    evidence: [...evidence, ...witnessed],
    servedModels,
    registry,
    requiredClaims,
    requiredSources,
    ...(trigger && { trigger }),
  };
  return (context: IssuanceContext) => decideClaims(request, { ...context, ...confirmed });
}

/** On whose authority a token was issued: the configuration, the caller and its credential by name, a witness's receipt. */
function authorizationOf(
  rules: IssuingRules | undefined,
  proven: ProvenCaller | undefined,
  receipt: TakenReceipt | undefined,
): string | null {
  const asked = rules &&
    proven && { configuration: rules.hash, caller: proven.caller.name, credential: proven.credential };
  if (asked === undefined && receipt === undefined) return null;
  return JSON.stringify({ ...asked, ...(receipt && { receipt: receipt.named }) });
}

function nameCase(registered: string): TokenRefusal {
  return {
    ...refusedWith('issuer.agent_name_case', 'invalid_request'),
    field: 'agent_name',
    message: `this name is registered as ${registered}: names differ by more than case`,
  };
}

/** To a caller that has no right to a name nothing is told about it, so a missing right is named before `taken`. */
function refuseDecision(decision: { readonly ok: true } | IssuanceRefusal, taken?: TokenRefusal): TokenRefusal {
  if (decision.ok) return taken!;
  const { code, field, message } = decision;
  if (isCallerCode(code)) return { ...refusedCaller(code), field, message };
  if (taken !== undefined) return taken;
  return { status: 400, error: 'invalid_request', code, message, field };
}

function isCallerCode(code: IssuanceRefusal['code']): code is Extract<IssuanceRefusal['code'], CallerErrorCode> {
  return code.startsWith('caller.');
}

const TOKEN_USED: TokenRefusal = {
  ...refusedCaller('caller.token_used'),
  message: 'this token was used before: each request needs a new one',
};

const CALLER_RATE_LIMITED: TokenRefusal = {
  ...refusedWith('issuer.rate_limited', 'temporarily_unavailable'),
  message: 'too many requests of this caller',
};

const AGENT_ID_CHANGED: TokenRefusal = {
  ...refusedWith('issuer.agent_id_changed', 'unauthorized_client'),
  field: 'agent_name',
  message: 'this name belongs to an agent with another identifier, and is never given to a second one',
};

const CLOSED: TokenRefusal = {
  ...refusedWith('issuer.closed', 'temporarily_unavailable'),
  message: 'the issuer is shutting down',
  retryAfterSeconds: 5,
};

const CLOCK_WENT_BACK: TokenRefusal = {
  ...refusedWith('issuer.clock_went_back', 'temporarily_unavailable'),
  message: 'the clock of this machine went back by more than two seconds; no token is issued until it has caught up',
  retryAfterSeconds: 30,
};

const LEDGER_UNAVAILABLE: TokenRefusal = {
  ...refusedWith('issuer.ledger_unavailable', 'temporarily_unavailable'),
  message: 'the ledger cannot be read or written, so no token is issued',
  retryAfterSeconds: LEDGER_RETRY_SECONDS,
};

const REVIEW_NOT_OFFERED: TokenRefusal = {
  ...refusedWith('issuer.review_not_offered', 'unauthorized_client'),
  field: 'purpose',
  message: 'this issuer gives no tokens to reviewers',
};

const REVIEWER_SECRET_REQUIRED: TokenRefusal = {
  ...refusedWith('issuer.reviewer_secret_required', 'invalid_client'),
  message: `a reviewer's token needs a proof of the reviewers' secret: Authorization: ${REVIEWER_PROOF_SCHEME} …`,
};
