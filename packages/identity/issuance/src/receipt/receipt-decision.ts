import { parseInstant } from '@colophon/notation';
import {
  type ClaimSource,
  claimsAgree,
  mainModel,
  type TokenRequest,
  type WitnessPlace,
  type WitnessReceipt,
} from '@colophon/records';
import type { ClaimEvidence } from '../claim-decision/issuance-context.ts';

/** A witness as the operator lists it. */
export type TrustedWitness = {
  readonly name: string;
  /** RFC 7638 thumbprint of its key. */
  readonly keyId: string;
  /** What its word is worth at most; a receipt can only lower it. */
  readonly place: WitnessPlace;
  /** Callers that may show its receipts; whoever asks where nobody is asked who they are. */
  readonly callers?: readonly string[] | undefined;
  /** Addresses by name, of which nothing else is taken. Where absent its own names stand. */
  readonly upstreams?: Readonly<Record<string, string>> | undefined;
};

/** Every code with which a receipt is refused; each is about the caller that shows it. */
export const RECEIPT_REFUSAL_CODES = [
  'caller.receipt_malformed',
  'caller.receipt_witness_unknown',
  'caller.receipt_signature_invalid',
  'caller.receipt_other_caller',
  'caller.receipt_other_issuer',
  'caller.receipt_other_run',
  'caller.receipt_expired',
  'caller.receipt_upstream_unknown',
] as const;
export type ReceiptRefusalCode = (typeof RECEIPT_REFUSAL_CODES)[number];

export type ReceiptRefusal = {
  readonly ok: false;
  readonly code: ReceiptRefusalCode;
  /** The claim of the request that is another one. */
  readonly field: string;
  readonly message: string;
};

/** What a receipt confirms, or why it is not taken. */
export type ReceiptDecision =
  | {
      readonly ok: true;
      readonly evidence: ClaimEvidence;
      /** Every model that answered in the run. */
      readonly servedModels: readonly string[];
    }
  | ReceiptRefusal;

/** What a receipt is held against. */
export type ReceiptGrounds = {
  readonly witness: TrustedWitness;
  /** Who asks; undefined where nobody is asked. */
  readonly caller: string | undefined;
  /** The issuer's own URL. */
  readonly issuer: string;
  /** Seconds since the epoch. */
  readonly now: number;
};

/** Seconds for which a receipt is taken after the run has ended, or after it was signed while the run was open. */
export const RECEIPT_SECONDS = 15 * 60;
/** Seconds by which the clocks of witness and issuer may differ. */
export const RECEIPT_SKEW_SECONDS = 60;

/**
 * Decides what a receipt confirms for a request, once its signature is verified. It counts for the caller that opened the
 * run, at this issuer, for the run's own agent, version, prompt and policy pack, while the run is open or shortly after.
 * What it confirms is worth the lower one of what the operator says of its witness and of what it says itself.
 *
 * The model is the one that `mainModel` finds, and none where that finds none. Its provider is the name of the upstream.
 * The prompt is confirmed where a request contained it.
 */
export function decideReceipt(
  receipt: WitnessReceipt,
  request: TokenRequest,
  grounds: ReceiptGrounds,
): ReceiptDecision {
  if (request.purpose === 'review') throw new TypeError('a review shows no receipt');
  return refuseReceipt(receipt, request, grounds) ?? confirmedBy(receipt, grounds.witness);
}

function refuseReceipt(
  receipt: WitnessReceipt,
  request: Exclude<TokenRequest, { purpose: 'review' }>,
  { witness, caller, issuer, now }: ReceiptGrounds,
): ReceiptRefusal | undefined {
  if (!isListedCaller(witness, caller) || receipt.caller !== caller) {
    return refuse('caller.receipt_other_caller', 'receipt', 'The receipt is not one of this caller.');
  }
  if (receipt.issuer !== issuer) {
    return refuse('caller.receipt_other_issuer', 'receipt', 'The receipt is for another issuer.');
  }
  const said = [
    ['agent_name', receipt.agent.name, request.agent_name],
    ['agent_version', receipt.agent.version, request.agent_version],
    ['prompt_hash', receipt.input.prompt_hash, request.prompt_hash],
    ['policy_pack_hash', receipt.policy.pack_hash, request.policy_pack_hash],
  ] as const;
  const other = said.find(([claim, own, asked]) => !claimsAgree(claim, own, asked));
  if (other !== undefined) {
    return refuse('caller.receipt_other_run', other[0], `The receipt is of a run with another ${other[0]}.`);
  }
  const from = seconds(receipt.signed_at) - RECEIPT_SKEW_SECONDS;
  // Nobody can know an end that is still to come.
  const seenLast = Math.min(seconds(receipt.signed_at), seconds(receipt.ended_at ?? receipt.signed_at));
  const until = seenLast + RECEIPT_SECONDS;
  if (now < from || now > until) {
    const message = 'The receipt counts while its run is open, and for 15 minutes after.';
    return refuse('caller.receipt_expired', 'receipt', message);
  }
  if (hasListedUpstreams(witness, receipt)) return undefined;
  return refuse(
    'caller.receipt_upstream_unknown',
    'receipt',
    'The witness reached an upstream that is not listed for it.',
  );
}

function confirmedBy(receipt: WitnessReceipt, witness: TrustedWitness): ReceiptDecision {
  const source: ClaimSource = `witness-${placeOf(witness, receipt)}`;
  const main = mainModel(receipt);
  const isReached = receipt.upstreams.some(({ name }) => name === main?.upstream);
  return {
    ok: true,
    evidence: {
      source,
      claims: {
        ...(main && isReached ? { model_id: main.served, model_provider: main.upstream } : {}),
        ...(receipt.input.prompt_seen ? { prompt_hash: receipt.input.prompt_hash } : {}),
      },
    },
    servedModels: [...new Set(receipt.models.map(({ served }) => served))],
  };
}

/** Whether the operator lets this caller show receipts of the witness. */
export function isListedCaller({ callers }: TrustedWitness, caller: string | undefined): boolean {
  return callers === undefined || (caller !== undefined && callers.includes(caller));
}

/** Whether the operator knows every server that the witness reached, by name and address. */
export function hasListedUpstreams({ upstreams: listed }: TrustedWitness, { upstreams }: WitnessReceipt): boolean {
  if (listed === undefined) return true;
  const withoutSlash = (address: string) => address.replace(/\/+$/, '');
  return upstreams.every(
    ({ name, address }) => Object.hasOwn(listed, name) && withoutSlash(listed[name]!) === withoutSlash(address),
  );
}

/** What a receipt is worth: the lower one of what the operator says of its witness and of what it says itself. */
export function placeOf({ place }: TrustedWitness, { witness }: WitnessReceipt): WitnessPlace {
  return place === 'isolated' && witness.place === 'isolated' ? 'isolated' : 'same-host';
}

/** Whole seconds since the epoch; the later part of a second is left out. */
function seconds(time: string): number {
  return Math.floor((parseInstant(time) ?? Number.NaN) / 1000);
}

function refuse(code: ReceiptRefusalCode, field: string, message: string): ReceiptRefusal {
  return { ok: false, code, field, message };
}
