export { type KeptCatalog, newestCatalog, openCatalog } from './catalog-refresh/kept-catalog.ts';
export { type CatalogRefresh, type CatalogRefreshOptions, refreshCatalog } from './catalog-refresh/refresh-catalog.ts';
export type { ClosingFiles } from './desk/closing.ts';
export type { EvidenceFile } from './desk/evidence.ts';
export { type PartialScan, partialScans } from './desk/partial-scans.ts';
export {
  type CloseRequest,
  type OpenRequest,
  type RecordFilter,
  type RecordSigner,
  RemediationDesk,
  type ScanToOpen,
  signedBytes,
  type VoidRequest,
} from './desk/remediation-desk.ts';
export { REMEDIATION_DESK_CODES, RemediationError } from './desk/remediation-error.ts';
export { type Counted, countAgain } from './recount/count-again.ts';
export { detailsOf, keptRecords, MOST_RECORDS_BYTES, parsedPeriod, parseRecords } from './recount/report-records.ts';
export {
  type SignedClosings,
  type SignedStatement,
  verifyClosings,
  verifyStatements,
} from './recount/statement-signatures.ts';
export type { DocumentSource } from './report-audit/audit-documents.ts';
export { type AuditRequest, auditReport, type ReportAudit } from './report-audit/report-audit.ts';
export { CHECKSUMS, CHECKSUMS_SIGNATURE } from './report-folder/checksums.ts';
export { openReportFolder, type ReportFolder } from './report-folder/read-report-folder.ts';
export { ReportError } from './report-folder/report-error.ts';
export { assertFreeFolder, type FolderDraft, writeReportFolder } from './report-folder/report-folder.ts';
export type { Job, JobRun, JobRunOutcome } from './schedule/job.ts';
export { type KevRefreshOptions, kevRefreshJob } from './schedule/kev-refresh-job.ts';
export { type Rescanned, type RescanOptions, rescanJob } from './schedule/rescan-job.ts';
export { type RescanPublicationOptions, rescanPublication } from './schedule/rescan-publication.ts';
export { databaseClock, type ScheduleClock } from './schedule/schedule-clock.ts';
export { DEFAULT_LEASE_SECONDS, type ScheduleEvent, Scheduler, type SchedulerOptions } from './schedule/scheduler.ts';
