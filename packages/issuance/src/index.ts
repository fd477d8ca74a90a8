export { decideClaims } from './claim-decision/claim-decision.ts';
export type { IssuanceContext } from './claim-decision/issuance-context.ts';
export type { IssuanceRefusal } from './claim-decision/issuance-refusal.ts';
export { type EvidenceTokenClaims, evidenceClaims } from './evidence-claims/evidence-claims.ts';
