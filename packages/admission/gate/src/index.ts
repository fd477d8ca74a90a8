export { type Asker, CachedGate, GateBusyError, type GateRules } from './decision-cache/cached-gate.ts';
export { DecisionCache } from './decision-cache/decision-cache.ts';
export { Places } from './decision-cache/places.ts';
export type { RememberedDecision } from './decision-cache/remembered-decision.ts';
export { explainArtifact, type FoundBundle } from './explanation/explain-artifact.ts';
export { explainImage } from './explanation/explain-image.ts';
export type { AskedPlace, EvidenceExplanation } from './explanation/explanation-result.ts';
export { admitImage } from './image-gate/admit-image.ts';
export { asksForManifests, assessMaterial, gatherImage, keysOf } from './image-gate/image-material.ts';
export { findNoOfSigner } from './image-gate/no-of-signer.ts';
export { requireSigners } from './image-gate/require-signers.ts';
export { withBasis } from './image-gate/with-basis.ts';
export { decideWithoutEvidence, isAuditedAlone } from './image-gate/without-evidence.ts';
export { KeptLists, REFRESH_AFTER_MS } from './kept-lists/kept-lists.ts';
export { admitObjects } from './object-gate/admit-objects.ts';
export { createPack, type PackHints } from './pack/create-pack.ts';
export { explainPack } from './pack/explain-pack.ts';
export { openPack } from './pack/open-pack.ts';
export { PackError } from './pack/pack-error.ts';
export {
  caseDifferences,
  type DecidedCaseInFull,
  decidePackCase,
  decideWrittenCase,
} from './policy-case/decide-policy-case.ts';
export {
  MAX_CASE_LENGTH,
  type PolicyCase,
  parsePolicyCase,
} from './policy-case/parse-policy-case.ts';
export { policyFilesAt } from './policy-folder/policy-folder.ts';
export { findRejection } from './rejected-image/find-rejection.ts';
export { fileSequencePins } from './sequence-pin/file-sequence-pins.ts';
export { fetchNegatives } from './standing-negatives/fetch-negatives.ts';
export { wordsHash } from './standing-negatives/list-words.ts';
export { negativesOfIssuer } from './standing-negatives/negatives-of-issuer.ts';
export { NegativesViews, sourceOf } from './standing-negatives/negatives-views.ts';
