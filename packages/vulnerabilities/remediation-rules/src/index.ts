export { actorBasis } from './remediation/actor-basis.ts';
export { changeRecord, type RecordChange } from './remediation/change-record.ts';
export { type ClosingProof, closeRecord, signedPart, withClosingSignature } from './remediation/close-record.ts';
export { withComputedFields } from './remediation/computed-fields.ts';
export { escalateRecord } from './remediation/escalate-record.ts';
export { exploitationDisputes } from './remediation/exploitation-dispute.ts';
export { isJoined } from './remediation/joined-record.ts';
export { type Opening, type OpeningContext, openRecords } from './remediation/open-records.ts';
export { parseRemediationRecord } from './remediation/parse-remediation-record.ts';
export { parseRemediationPolicy } from './remediation/policy-file.ts';
export { evidenceOf } from './remediation/record-evidence.ts';
export { type Actor, RECORDED_FIELDS } from './remediation/record-history.ts';
export { REMEDIATION_KINDS, type RemediationIssue } from './remediation/remediation-issue.ts';
export { DEFAULT_REMEDIATION_POLICY, type RemediationPolicy } from './remediation/remediation-policy.ts';
export type { RescanProof } from './remediation/rescan-proof.ts';
export { scanTie } from './remediation/scan-tie.ts';
export { shownOpening } from './remediation/shown-opening.ts';
export type { KeptScan } from './remediation/sighting.ts';
export type { VerifiedSignatureOfStatement } from './remediation/statement-proof.ts';
export { isVoid, type Voiding, voidRecord } from './remediation/void-record.ts';
export { type CheckedClosing, checkClosing, documentsOfClosing, type ProofSbom } from './report/check-closing.ts';
export { ListingCheck } from './report/check-listings.ts';
export { sightingDifferences } from './report/check-sightings.ts';
export { type Period, parsePeriod } from './report/period.ts';
export { countReport, formatReport } from './report/quarterly-report.ts';
export { RecordTimeline } from './report/record-timeline.ts';
export type { CatalogInReport } from './report/report-catalog.ts';
export { type ReportDetails, type ReportRequest, reportDetails } from './report/report-details.ts';
export { differencesOf } from './report/report-difference.ts';
export type { ReportDifference } from './report/report-difference-result.ts';
export {
  catalogFileName,
  documentKinds,
  documentsOf,
  FILE_LIST_FORMAT,
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
export { notesDifferences } from './report/report-inputs.ts';
export { formatNotes, reportNotes, uncountedRecords } from './report/report-notes.ts';
export { pageDifference } from './report-page/page-difference.ts';
export { reportPages } from './report-page/report-pages.ts';
