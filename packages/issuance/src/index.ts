export { type ClaimDecision, decideClaims } from './claim-decision/claim-decision.ts';
export type { ClaimEvidence, IssuanceContext } from './claim-decision/issuance-context.ts';
export {
  ISSUANCE_REFUSAL_CODES,
  type IssuanceRefusal,
  type IssuanceRefusalCode,
} from './claim-decision/issuance-refusal.ts';
export { CLAIM_RULES, type ClaimRule } from './claim-rule/claim-rule.ts';
export { type EvidenceTokenClaims, evidenceClaims } from './evidence-claims/evidence-claims.ts';
