export { addStatement, amended, assertOpenVex, assertTransitions, statementJson } from './change/add-statement.ts';
export { acceptDraft, DRAFT_LABEL, isDraft, proposalOf } from './draft/draft-statement.ts';
export { type CodeSighting, draftVendored, type VendoredEvidence } from './draft/draft-vendored.ts';
export { bomLinks } from './match/bom-links.ts';
export { type MatchableFinding, matchStatements, type VexDecision } from './match/match-statements.ts';
export { covers, matchablePurl } from './match/matchable-purl.ts';
export { productIdentifier } from './match/product-identifier.ts';
export type { SpeakerRule } from './match/speaker-rules.ts';
export { UNMATCHED_MESSAGES } from './match/unmatched-statement.ts';
export { vulnerabilityKeys } from './match/vulnerability-key.ts';
export { mergeVexDocuments } from './merge/merge-vex-documents.ts';
export {
  MAX_VEX_BYTES,
  type PlacedVexDocument,
  readPlacedVexDocument,
  readVexDocument,
} from './read/read-vex-document.ts';
export { type FixProof, transitionIssues } from './transition/transition.ts';
export { type VexReport, validateVexDocument } from './validate/validate-vex-document.ts';
export {
  VEX_PROFILES,
  type VexDocument,
  type VexFamily,
  type VexProduct,
  type VexProfile,
  type VexStatement,
  type VexSubject,
} from './vex-document/vex-document.ts';
export { VexError } from './vex-error/vex-error.ts';
export { compareTimes } from './vex-time/vex-time.ts';
export { WRITTEN_CYCLONEDX, type WrittenCycloneDx } from './write/cyclonedx-writer.ts';
export { isIri } from './write/openvex-writer.ts';
export type { VexLoss } from './write/vex-loss.ts';
export { writeVexDocument } from './write/write-vex-document.ts';
