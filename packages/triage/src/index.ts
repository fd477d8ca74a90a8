export { CVSS_ISSUE_CODES, type CvssIssueCode } from './cvss/cvss-issue.ts';
export { CVSS_VERSIONS, type CvssVersion } from './cvss/cvss-metrics.ts';
export { baseScore, overallScore } from './cvss/cvss-score.ts';
export { type CvssVector, parseCvssVector } from './cvss/cvss-vector.ts';
export {
  type Assessment,
  type AssessmentOptions,
  assessFindings,
  assessFindingsList,
  combineFindings,
} from './finding/assess-findings.ts';
export { type AssessmentNote, FINDING_NOTE_CODES } from './finding/assessment-note.ts';
export { identifyComponent, isPurl, sameComponent } from './finding/component-identity.ts';
export { ComponentLookup } from './finding/component-lookup.ts';
export { FINDING_ISSUE_CODES } from './finding/field-reader.ts';
export { parseFindings } from './finding/parse-findings.ts';
export { parsePublicationDay } from './finding/publication-day.ts';
export { AssessmentMemory } from './finding/read-reported.ts';
export type { ReportedVulnerability, StatedScore } from './finding/reported-vulnerability.ts';
export type { ScannerReading } from './finding/scan.ts';
export { isScanRecord, parseScanRecord, scanRecord } from './finding/scan-record.ts';
export { severityOfScore, severityOfWord, worstSeverity } from './finding/severity.ts';
export { isCve, isMalformedCve, normaliseVulnerabilityId } from './finding/vulnerability-id.ts';
export { acceptCatalog, CATALOG_DOUBT_CODES, type CatalogVerdict } from './known-exploited/accept-catalog.ts';
export type { KnownExploitedCatalog, KnownExploitedEntry } from './known-exploited/catalog.ts';
export { type CatalogAge, catalogAge, STALE_AFTER_DAYS } from './known-exploited/catalog-age.ts';
export { parseCveId } from './known-exploited/catalog-entry.ts';
export { CATALOG_ISSUE_CODES, type CatalogIssueCode } from './known-exploited/catalog-issue.ts';
export {
  type CatalogChanges,
  type CatalogEdition,
  compareCatalogs,
  compareEntries,
  type EntryChange,
} from './known-exploited/compare-catalogs.ts';
export { type EnrichmentOptions, enrichFindings, findEntry } from './known-exploited/enrich-findings.ts';
export { MAX_CATALOG_BYTES, parseCatalog } from './known-exploited/parse-catalog.ts';
export { decidePriority, dueAt, PRIORITY_HOURS, type PriorityInput } from './priority/priority.ts';
export { actorBasis } from './remediation/actor-basis.ts';
export { type ChangeContext, changeRecord, type RecordChange } from './remediation/change-record.ts';
export {
  type ClosingContext,
  type ClosingProof,
  closeRecord,
  signedPart,
  withClosingSignature,
} from './remediation/close-record.ts';
export { withComputedFields } from './remediation/computed-fields.ts';
export { escalateRecord } from './remediation/escalate-record.ts';
export { type Opening, type OpeningContext, openRecords } from './remediation/open-records.ts';
export { parseRemediationRecord } from './remediation/parse-remediation-record.ts';
export {
  parseRemediationPolicy,
  REMEDIATION_POLICY_CODES,
  signerNames,
} from './remediation/policy-file.ts';
export { evidenceOf } from './remediation/record-evidence.ts';
export { type Actor, RECORDED_FIELDS } from './remediation/record-history.ts';
export { remediationId } from './remediation/record-identity.ts';
export {
  OVERRIDABLE_CODES,
  REMEDIATION_CODES,
  REMEDIATION_KINDS,
  type RemediationCode,
  type RemediationIssue,
  type RemediationResult,
} from './remediation/remediation-issue.ts';
export { DEFAULT_REMEDIATION_POLICY, type RemediationPolicy } from './remediation/remediation-policy.ts';
export type { RescanProof } from './remediation/rescan-proof.ts';
export { type ScanTie, scanTie } from './remediation/scan-tie.ts';
export type { KeptScan } from './remediation/sighting.ts';
export type { StatementProof, VerifiedSignatureOfStatement } from './remediation/statement-proof.ts';
export { isVoid, type Voiding, voidRecord } from './remediation/void-record.ts';
export {
  type CheckedClosing,
  type ClosingDocuments,
  checkClosing,
  documentsOfClosing,
  type ProofSbom,
} from './report/check-closing.ts';
export { exampleWords, ListingCheck } from './report/check-listings.ts';
export { sightingDifferences } from './report/check-sightings.ts';
export type { CveStanding, Outcome } from './report/cve-standing.ts';
export { type Period, parsePeriod } from './report/period.ts';
export { countReport, formatReport, quarterlyReport } from './report/quarterly-report.ts';
export type { RecordStanding } from './report/record-standing.ts';
export { RecordTimeline } from './report/record-timeline.ts';
export type { CatalogInReport } from './report/report-catalog.ts';
export {
  FIGURES,
  type Figure,
  type ReportDetails,
  type ReportRequest,
  reportDetails,
} from './report/report-details.ts';
export {
  differencesOf,
  REPORT_DIFFERENCE_CODES,
  type ReportDifference,
} from './report/report-difference.ts';
export {
  basisFileName,
  catalogFileName,
  documentsOf,
  type FileList,
  fileListName,
  formatRecords,
  type MadeFile,
  madeNames,
  noteFiles,
  notesFileName,
  type ReportBasis,
  type ReportFile,
  type ReportFiles,
  reportFileName,
  reportFiles,
  uncountedFileName,
} from './report/report-files.ts';
export { REPORT_ISSUE_CODES, type ReportIssueCode } from './report/report-issue.ts';
export {
  beforeFirstRecord,
  formatNotes,
  type NotesInput,
  reportNotes,
  uncountedRecords,
} from './report/report-notes.ts';
export { reportPages } from './report-page/report-pages.ts';
export {
  type AmendableDocument,
  type AmendedDocument,
  addStatement,
  amended,
  assertOpenVex,
  assertTransitions,
  statementJson,
} from './vex/change/add-statement.ts';
export { standingStatements } from './vex/change/standing-statements.ts';
export {
  acceptDraft,
  DRAFT_LABEL,
  draftStatement,
  isDraft,
  type Proposal,
  proposalOf,
} from './vex/draft/draft-statement.ts';
export { type CodeSighting, draftVendored, type VendoredEvidence } from './vex/draft/draft-vendored.ts';
export { bomLinks, type LinkedBom } from './vex/match/bom-links.ts';
export {
  type MatchableFinding,
  type MatchOptions,
  matchStatements,
  type StatementMatches,
  type StatementPlace,
  type VexDecision,
} from './vex/match/match-statements.ts';
export { covers, type MatchablePurl, matchablePurl } from './vex/match/matchable-purl.ts';
export { productIdentifier } from './vex/match/product-identifier.ts';
export type { SpeakerRule } from './vex/match/speaker-rules.ts';
export { UNMATCHED_CODES, type Unmatched, type UnmatchedCode } from './vex/match/unmatched-statement.ts';
export { vulnerabilityKey, vulnerabilityKeys } from './vex/match/vulnerability-key.ts';
export { type MergedVexDocument, mergeVexDocuments, type VexMerge } from './vex/merge/merge-vex-documents.ts';
export {
  MAX_VEX_BYTES,
  type PlacedVexDocument,
  readPlacedVexDocument,
  readVexDocument,
  type VexShape,
} from './vex/read/read-vex-document.ts';
export { VEX_ISSUE_CODES, type VexIssueCode } from './vex/read/vex-issue.ts';
export {
  type FixProof,
  type TransitionContext,
  type TransitionIssue,
  transitionIssues,
} from './vex/transition/transition.ts';
export {
  VEX_PROFILES,
  type VexProfile,
  type VexReport,
  type VexValidation,
  validateVexDocument,
} from './vex/validate/validate-vex-document.ts';
export { VEX_RULE_CODES, type VexFault, type VexRuleCode, type VexSeverity } from './vex/validate/vex-fault.ts';
export {
  UNKNOWN_TIME,
  VEX_NOTE_CODES,
  type VexDocument,
  type VexFormat,
  type VexNote,
  type VexNoteCode,
  type VexProduct,
  type VexStatement,
  type VexSubject,
} from './vex/vex-document.ts';
export { VexError, type VexErrorCode } from './vex/vex-error.ts';
export { compareTimes, normaliseTime } from './vex/vex-time.ts';
export { WRITTEN_CYCLONEDX, type WrittenCycloneDx } from './vex/write/cyclonedx-writer.ts';
export { isIri } from './vex/write/openvex-writer.ts';
export type { VexLoss } from './vex/write/vex-loss.ts';
export {
  type VexWriting,
  WRITTEN_VEX,
  type WrittenVex,
  type WrittenVexDocument,
  writeVexDocument,
} from './vex/write/write-vex-document.ts';
