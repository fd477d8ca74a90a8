export {
  CALLER_KINDS,
  type Caller,
  type CallerCondition,
  type CallerCredential,
  type CallerKind,
  type CallerTokenRule,
  type ConfirmedClaim,
  FORGE_CONFIRMS,
} from './caller/caller.ts';
export { type CallerBook, compileCallers, type KnownCaller } from './caller/caller-book.ts';
export { decideCaller } from './caller/caller-decision.ts';
export { type OpenedEvent, openedEvents } from './caller/caller-event.ts';
export { FORGE_CLAIMS, forgeOf } from './caller/forge-claims.ts';
export { decideClaims } from './claim-decision/claim-decision.ts';
export type { IssuanceContext } from './claim-decision/issuance-context.ts';
export { ISSUANCE_REFUSAL_CODES, type IssuanceRefusal } from './claim-decision/issuance-refusal.ts';
export { type EvidenceTokenClaims, evidenceClaims } from './evidence-claims/evidence-claims.ts';
export {
  decideReceipt,
  hasListedUpstreams,
  isListedCaller,
  placeOf,
  type ReceiptDecision,
  type TrustedWitness,
} from './receipt/receipt-decision.ts';
export { AGENT_STATES, compileRegistry, type RegisteredAgent, type Registry } from './registry/registry.ts';
