import {
  decideClaims,
  type EvidenceTokenClaims,
  evidenceClaims,
  type IssuanceContext,
  type IssuanceRefusal,
} from '@colophon/issuance';
import type { Signer, SigningKeys } from '@colophon/keys';
import { type IdentityTokenClaims, parseTokenRequest, REVIEWER_PROOF_SCHEME } from '@colophon/records';
import type { AgentName } from '@colophon/store';
import type { IssuingClock } from '../issuing-clock/issuing-clock.ts';
import { ledgerLeafHash, SALT_BYTES } from '../ledger/ledger-leaf.ts';
import type { LedgerWriter } from '../ledger/ledger-writer.ts';
import type { Logger, Random } from '../ports/ports.ts';
import type { ReviewerCheck } from '../reviewer-check/reviewer-check.ts';
import { refusedWith, refuseIssues, type TokenRefusal } from '../token-refusal/token-refusal.ts';

/** A token in compact form (RFC 7519) that is in the ledger, or why there is none. */
export type MintResult<Claims = IdentityTokenClaims> =
  | { readonly ok: true; readonly token: string; readonly claims: Claims }
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
};

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

  /** `body`: the raw JSON request (contract §2.2); `authorization`: that header's value. Every refusal is a value. */
  async mint(body: Uint8Array, authorization?: string): Promise<MintResult> {
    if (this.#isClosed) return { ok: false, refusal: CLOSED };
    const parsed = parseTokenRequest(body);
    if (!parsed.ok) return { ok: false, refusal: refuseIssues(parsed.issues) };
    const request = parsed.value;
    const refusal = request.purpose === 'review' ? this.#refuseReviewer(authorization, body) : undefined;
    if (refusal !== undefined) return { ok: false, refusal };
    const decide = (context: IssuanceContext) => decideClaims(request, context);
    if (request.purpose === 'review') return this.#issue(decide);
    this.#underWay += 1;
    try {
      let registered: AgentName | undefined;
      try {
        registered = await this.#options.writer.findName(request.agent_name);
      } catch (error) {
        return this.#withoutLedger(error);
      }
      // Nothing is awaited from here to the append, so of two first requests the second sees what the first reserved.
      const name = this.#nameOf(request.agent_name, registered);
      if (name.entry.agent_name !== request.agent_name) {
        return { ok: false, refusal: refuseNameCase(name.entry.agent_name) };
      }
      return this.#issue(decide, name);
    } finally {
      this.#leave();
    }
  }

  /** A token for the evidence store in this process; no request of anybody leads here. */
  async mintForEvidence(): Promise<MintResult<EvidenceTokenClaims>> {
    if (this.#isClosed) return { ok: false, refusal: CLOSED };
    return this.#issue((context) => ({ ok: true, claims: evidenceClaims(context) }));
  }

  /** Refuses what is asked from now on; fulfilled once every request that was let in has its answer. */
  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay === 0) this.#idle.resolve();
    return this.#idle.promise;
  }

  async #issue<Claims extends EvidenceTokenClaims>(
    decide: (context: IssuanceContext) => { readonly ok: true; readonly claims: Claims } | IssuanceRefusal,
    name?: NamedAgent,
  ): Promise<MintResult<Claims>> {
    const { issuerUrl, audiences, lifetimeSeconds, signingKeys, clock, random, writer, onAppended } = this.#options;
    const issuedAt = clock.issuedAt();
    if (issuedAt === undefined) return { ok: false, refusal: CLOCK_WENT_BACK };
    const decision = decide({
      issuer: issuerUrl,
      audiences,
      issuedAt,
      lifetimeSeconds,
      jti: random.uuid(),
      ...(name === undefined ? {} : { agentId: name.entry.agent_id }),
    });
    if (!decision.ok) return { ok: false, refusal: refuseDecision(decision) };
    const { claims } = decision;
    const payload = JSON.stringify(claims);
    const bytes = Buffer.from(payload);
    const salt = random.bytes(SALT_BYTES);
    const row = {
      jti: claims.jti,
      issued_at: issuedAt,
      salt,
      leaf_hash: ledgerLeafHash(salt, bytes),
      payload,
      authorization: null,
    };
    this.#underWay += 1;
    try {
      try {
        await writer.append(row, name?.isNew ? name.entry : undefined);
      } catch (error) {
        return this.#withoutLedger(error);
      }
      onAppended();
      // Only now does a token exist: a signature is made for what is already on disk.
      const { signer } = signingKeys.at(issuedAt * 1000);
      const signingInput = this.#headerSegment(signer) + bytes.toString('base64url');
      const { buffer, byteOffset, length } = await signer.signJose(Buffer.from(signingInput, 'latin1'));
      const signature = Buffer.from(buffer, byteOffset, length);
      return { ok: true, token: `${signingInput}.${signature.toString('base64url')}`, claims };
    } finally {
      this.#leave();
    }
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

  #nameOf(name: string, registered: AgentName | undefined): NamedAgent {
    if (registered !== undefined) return { entry: registered, isNew: false };
    const { writer, random } = this.#options;
    return { entry: writer.reservedName(name) ?? { agent_name: name, agent_id: random.uuid() }, isNew: true };
  }

  #refuseReviewer(authorization: string | undefined, body: Uint8Array): TokenRefusal | undefined {
    const { isReviewer } = this.#options;
    if (isReviewer === undefined) return REVIEW_NOT_OFFERED;
    return isReviewer(authorization, body) ? undefined : REVIEWER_SECRET_REQUIRED;
  }
}

type NamedAgent = { readonly entry: AgentName; readonly isNew: boolean };

function refuseNameCase(registered: string): TokenRefusal {
  return {
    ...refusedWith('issuer.agent_name_case', 'invalid_request'),
    field: 'agent_name',
    message: `this name is registered as ${registered}: names differ by more than case`,
  };
}

function refuseDecision(decision: { code: string; field?: string; message: string }): TokenRefusal {
  const { code, field, message } = decision;
  return { status: 400, error: 'invalid_request', code, message, ...(field === undefined ? {} : { field }) };
}

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
