export {
  type AdmissionDecisionRecord,
  type DecidedImage,
  parseAdmissionDecision,
} from './admission-decision/admission-decision.ts';
export {
  admissionDecisionSchema,
  DECISION_OPERATIONS,
  LONGEST_DECISION_TEXT,
  MOST_DECIDED_IMAGES,
} from './admission-decision/admission-decision-schema.ts';
export { AGENT_NAME_PATTERN, parseAgentName } from './agent-name/agent-name.ts';
export {
  type AgentReview,
  createAgentReviewStatement,
  parseAgentReview,
  REVIEW_PROFILES,
  type ReviewProfile,
} from './agent-review/agent-review.ts';
export { agentReviewSchema } from './agent-review/agent-review-schema.ts';
export { REVIEW_DECISIONS, type ReviewDecision } from './agent-review/review-decision.ts';
export type { ReviewedPlatform, ReviewTarget } from './agent-review/review-target.ts';
export { readWrittenTarget } from './agent-review/written-target.ts';
export { type AgentRun, createAgentRunStatement, parseAgentRun } from './agent-run/agent-run.ts';
export { agentRunSchema } from './agent-run/agent-run-schema.ts';
export {
  BASIS_SOURCES,
  type Basis,
  type BasisSource,
  basisOf,
  basisOfStated,
  formatBasis,
  isConfirmed,
  isReviewersOwn,
  parseBasis,
} from './basis/basis.ts';
export { type FieldBasis, fieldBasis, valueOfField } from './basis/field-basis.ts';
export {
  type BuildProvenance,
  type BuildSource,
  buildSources,
  parseBuildProvenance,
} from './build-provenance/build-provenance.ts';
export { buildProvenanceSchema } from './build-provenance/build-provenance-schema.ts';
export { statedSources } from './build-provenance/stated-sources.ts';
export {
  absentClaimText,
  type CertificateIdentity,
  CLAIM_ARC_NUMBERS,
  FULCIO_ARC,
  FULCIO_EXTENSION_TEMPLATES,
  fulcioExtensionTexts,
  keyIdentity,
  LOCAL_ORGANIZATION,
  UNKNOWN,
} from './certificate-identity/certificate-identity.ts';
export {
  CLAIM_SOURCES,
  type ClaimSource,
  formatClaimSources,
  type IdentityTokenClaims,
  isAcceptedSource,
  parseClaimSources,
  parsePurpose,
  RESERVED_CLAIMS,
  type VouchedClaim,
} from './claim/claim.ts';
export {
  CLAIMS,
  type PerClaim,
  SOURCED_CLAIMS,
  type SourcedClaim,
  TOKEN_PURPOSES,
  type TokenPurpose,
} from './claim/claim-table.ts';
export { canonicalClaim, claimsAgree, readClaim } from './claim/claims-agree.ts';
export { parseCommitId } from './commit-id/commit-id.ts';
export { digestOf } from './digest/digest.ts';
export { EMAIL_ADDRESS_PATTERN, isEmailAddress, LONGEST_EMAIL_ADDRESS } from './email-address/email-address.ts';
export type { CisaKev, EnrichedFinding } from './enriched-finding/enriched-finding.ts';
export { enrichedFindingSchema } from './enriched-finding/enriched-finding-schema.ts';
export { REMEDIATION_PRIORITIES, type RemediationPriority } from './enriched-finding/remediation-priority.ts';
export { EVIDENCE_PREFIX, evidenceSubject } from './evidence-identity/evidence-identity.ts';
export {
  EVIDENCE_PACK_LIMITS,
  type EvidencePack,
  encodeEvidencePack,
  parseEvidencePack,
} from './evidence-pack/evidence-pack.ts';
export { EVIDENCE_PACK_MEDIA_TYPE, evidencePackSchema } from './evidence-pack/evidence-pack-schema.ts';
export type { Cvss, Finding, FindingComponent, FindingReport } from './finding/finding.ts';
export { findingSchema } from './finding/finding-schema.ts';
export { RATED_SEVERITIES, type RatedSeverity, SEVERITIES, type Severity } from './finding/severity.ts';
export { keyThumbprint } from './key-thumbprint/key-thumbprint.ts';
export { logEntrySigners } from './log-entry-signers/log-entry-signers.ts';
export { isSubstituted } from './model-name/model-name.ts';
export {
  DEFAULT_CLAIM_ARC,
  DEFAULT_PREDICATE_BASE,
  EXPECTED_CLAIM_ARC,
  EXPECTED_PREDICATE_BASE,
  isClaimArc,
  isPredicateBase,
  type Namespace,
  PLACEHOLDER_NAMESPACE,
} from './namespace/namespace.ts';
export { OWN_PREDICATES, type PredicateParsers, predicateParsers } from './own-predicate/own-predicate.ts';
export { hashPolicyPack, type PolicyFile } from './policy-pack/policy-pack.ts';
export {
  agentReviewType,
  agentRunType,
  IN_TOTO_PAYLOAD_TYPE,
  isAgentRunType,
  isStandingNegativesType,
  logRestoredType,
  reviewWithdrawalType,
  SLSA_PROVENANCE_TYPE,
  STATEMENT_TYPE,
  STATEMENT_TYPE_V0_1,
  standingNegativesType,
  typesUnder,
  witnessReceiptType,
} from './predicate-type/predicate-type.ts';
export { hashPrompt, hashPromptMessages } from './prompt-hash/prompt-hash.ts';
export { purposeFits, purposeOf, type SignedKind, signedKindOf } from './purpose/purpose.ts';
export type { QuarterlyReport, ReportArtifacts, SeveritySla } from './quarterly-report/quarterly-report.ts';
export { quarterlyReportSchema } from './quarterly-report/quarterly-report-schema.ts';
export { TARGET_DAYS, TARGETED_SEVERITIES, type TargetedSeverity } from './quarterly-report/target-days.ts';
export { FIELD_MESSAGES } from './record-schema/field-message.ts';
export { RECORD_ISSUE_CODES, type RecordIssueCode } from './record-schema/record-check.ts';
export { isOfFormat } from './record-schema/text-format.ts';
export {
  DECISIONS,
  type Decision,
  EVIDENCE_KINDS,
  RECORD_STATES,
  REMEDIATION_ACTIONS,
  SLA_COMPLIANCES,
  type SlaCompliance,
  VOID_CAUSES,
  type VoidCause,
} from './remediation-record/record-words.ts';
export type {
  ClosingSignature,
  EvidenceReference,
  RecordedSbom,
  RecordedScan,
  RemediationEvent,
  RemediationRecord,
  Resolution,
  Sighting,
} from './remediation-record/remediation-record.ts';
export { remediationRecordSchema } from './remediation-record/remediation-record-schema.ts';
export type {
  CatalogNote,
  ExploitedHours,
  HoursOfPriority,
  NotedInput,
  NotedOverride,
  NotedRecord,
  NotedVoid,
  ProductNote,
  ReportNotes,
  UnansweredListing,
} from './report-notes/report-notes.ts';
export { reportNotesSchema } from './report-notes/report-notes-schema.ts';
export { repositoriesAgree } from './repository/repositories-agree.ts';
export { parseRepository, parseRepositoryUri } from './repository/repository.ts';
export {
  createReviewWithdrawalStatement,
  parseReviewWithdrawal,
  type ReviewWithdrawal,
} from './review-withdrawal/review-withdrawal.ts';
export { reviewWithdrawalSchema } from './review-withdrawal/review-withdrawal-schema.ts';
export { agentOfAddress } from './reviewer/agent-address.ts';
export { type AddressFolding, foldedAddress, foldedDomain } from './reviewer/folded-address.ts';
export { isMachineAddress, isPersonAddress } from './reviewer/machine-address.ts';
export {
  AGENT_PREFIX,
  certifiedAddress,
  isAgentIdentity,
  isSamePerson,
  type PeopleIssuers,
  type Person,
  REVIEW_SERVICE_PREFIX,
  REVIEWER_PREFIX,
  reviewerOf,
  speakerOf,
} from './reviewer/reviewer.ts';
export {
  formatReviewerProof,
  parseReviewerProof,
  REVIEWER_PROOF_SCHEME,
  type ReviewerProof,
  type ReviewerProofInput,
  reviewerMac,
} from './reviewer-proof/reviewer-proof.ts';
export { claimOfRunField, completeAgentRun } from './run-consistency/completed-run.ts';
export { type RunContradiction, runContradictions } from './run-consistency/run-consistency.ts';
export { type RunSigner, runSignerOf } from './run-consistency/shared-field.ts';
export type { NamedBom, ScannedSbom, Scanner, ScanRecord, UnreadEntry } from './scan-record/scan-record.ts';
export { SCAN_RECORD_FORMAT, scanRecordSchema } from './scan-record/scan-record-schema.ts';
export { signerName, signerNames } from './signer-name/signer-name.ts';
export {
  encodeNegativesPage,
  joinNegativesPages,
  type ListedNegatives,
  type NegativesPage,
  NegativesPageError,
  type NegativesPages,
  negativesPageAddress,
  negativesPageIssues,
  type OverflowingReviewer,
  pagesOf,
  parseNegativesPage,
  type StandingRejection,
  type StandingWithdrawal,
} from './standing-negatives/negatives-page.ts';
export {
  createStandingNegativesStatement,
  parseStandingNegatives,
  type StandingNegatives,
} from './standing-negatives/standing-negatives.ts';
export {
  LIST_RENEWAL_SECONDS,
  MAX_NEGATIVES_PAGE_BYTES,
  MAX_STANDING_NEGATIVES_BYTES,
  MOST_NEGATIVES_PAGES,
  MOST_REJECTED_DIGESTS,
  negativesPageSchema,
  standingNegativesSchema,
} from './standing-negatives/standing-negatives-schema.ts';
export { createStatement } from './statement/create-statement.ts';
export {
  DEFAULT_MAX_STATEMENT_BYTES,
  DEFAULT_MAX_STATEMENT_DEPTH,
  parseStatement,
} from './statement/parse-statement.ts';
export type { Statement, Subject } from './statement/statement.ts';
export { statementSchema } from './statement/statement-schema.ts';
export { REQUEST_ISSUE_CODES, type RequestIssueCode } from './token-request/request-issue.ts';
export {
  type ArtifactTokenRequest,
  type CommitTokenRequest,
  parseTokenRequest,
  REQUEST_SHAPES,
  type ReviewTokenRequest,
  readTokenRequest,
  type TokenRequest,
} from './token-request/token-request.ts';
export { tokenRequestSchema } from './token-request/token-request-schema.ts';
export {
  ATTACHMENT_FORMATS,
  type AttachmentFormat,
  type BundleLogEntry,
  type LogEntry,
  type RejectedSignature,
  type VerifiedSignature,
  withoutSigner,
} from './verified-signature/verified-signature.ts';
export { VEX_JUSTIFICATIONS, VEX_STATUSES, type VexJustification, type VexStatus } from './vex-status/vex-status.ts';
export { isUpstreamAddress, receiptAddress } from './witness-receipt/upstream-address.ts';
export {
  createWitnessReceiptStatement,
  mainModel,
  parseWitnessReceipt,
  type ServedModel,
  type WitnessReceipt,
} from './witness-receipt/witness-receipt.ts';
export {
  RECEIPT_LIMITS,
  RUN_ENDS,
  type RunEnd,
  UNATTRIBUTED_REASONS,
  type UnattributedReason,
  WITNESS_PLACES,
  type WitnessPlace,
  witnessReceiptSchema,
} from './witness-receipt/witness-receipt-schema.ts';
